import { CommandError } from '../../command-line/command-error.ts'
import { type Connection, isCredential } from '../requests/connection.ts'
import { call, unexpectedResponse } from '../requests/request.ts'
import type { Prompt } from './prompt.ts'

interface SecondFactorDue {
  mfaToken: string
  methods: readonly unknown[]
}

/** A response to a sign-in. The members are not checked yet. */
type Result = { accessToken?: unknown; mfaToken?: unknown; methods?: unknown } | undefined

/** Signs in with a password and, if the account has one, a second factor. Returns an access token. */
export async function signIn(connection: Connection, email: string, prompt: Prompt): Promise<string> {
  const password = await prompt.askHidden('Password: ')
  const body = { email, password }
  const result = await call<Result>(connection, ['POST', '/api/auth/login'], { body })
  const { mfaToken, methods } = result ?? {}
  if (typeof mfaToken !== 'string' || !Array.isArray(methods)) return tokenIn(result, connection)
  return verifyFactor(connection, { mfaToken, methods }, prompt)
}

function tokenIn(result: Result, connection: Connection): string {
  if (isCredential(result?.accessToken)) return result.accessToken
  throw unexpectedResponse(connection)
}

async function verifyFactor(connection: Connection, due: SecondFactorDue, prompt: Prompt): Promise<string> {
  const { mfaToken, methods } = due
  const method = ['totp', 'sms', 'recovery_code'].find((one) => methods.includes(one))
  if (method === undefined) {
    throw new CommandError(
      'The account needs a passkey, which a terminal cannot use. Create an API key in a browser and set PLATEN_API_KEY.',
    )
  }
  if (method === 'sms') await call(connection, ['POST', '/api/auth/mfa/challenge'], { body: { mfaToken, method } })
  const code = await prompt.ask(`${QUESTIONS[method]}: `)
  // Codes of an app and of a text message have six digits. Anything else is a recovery code.
  const given = /^\d{6}$/.test(code) || !methods.includes('recovery_code') ? method : 'recovery_code'
  const body = { mfaToken, method: given, code }
  return tokenIn(await call<Result>(connection, ['POST', '/api/auth/mfa/verify'], { body }), connection)
}

const QUESTIONS: Readonly<Record<string, string>> = {
  totp: 'Code of the authenticator app, or a recovery code',
  sms: 'Code of the text message, or a recovery code',
  recovery_code: 'Recovery code',
}
