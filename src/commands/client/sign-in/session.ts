import { type Terminal, writeError } from '../../command-line/terminal.ts'
import type { Connection } from '../requests/connection.ts'
import { ApiError } from '../requests/problem.ts'
import { call, send } from '../requests/request.ts'
import type { Prompt } from './prompt.ts'
import { signIn } from './sign-in.ts'

interface SessionOptions {
  origin: string
  email: string | undefined
  prompt: Prompt
  terminal: Terminal
}

/** Asks for an account, and runs an action with a session of it. The session ends even if the action fails. */
export async function withSession<Result>(
  { origin, email, prompt, terminal }: SessionOptions,
  action: (session: Connection) => Promise<Result>,
): Promise<Result> {
  const anonymous = { origin, apiKey: undefined, keySource: 'no credential' }
  const account = email ?? (await prompt.ask(`Email address of the account at ${origin}: `))
  const session = { ...anonymous, apiKey: await signIn(anonymous, account, prompt) }
  try {
    return await action(session)
  } finally {
    await endSession(session, terminal)
  }
}

/** Ends the session. A failure is only reported, because it must not replace the outcome of the action. */
async function endSession(session: Connection, { err }: Terminal): Promise<void> {
  try {
    await call(session, ['POST', '/api/auth/logout'])
  } catch (error) {
    const [reason] = (error as Error).message.split('\n')
    writeError(`The session of this sign-in could not be ended, and ends when it expires: ${reason}`, err)
  }
}

/** An API key, and the origin of the service that issued it. */
export interface IssuedKey {
  url: string
  keyId: string
  /** Undefined if only the id of the key is known. */
  apiKey?: string
}

/** Revokes a key of the account. Returns false if the key may stay valid, because it belongs to another account. */
export async function revokeKey(session: Connection, { keyId, apiKey }: IssuedKey): Promise<boolean> {
  try {
    await call(session, ['DELETE', `/api/api-keys/${encodeURIComponent(keyId)}`])
    return true
  } catch (error) {
    if (!(error instanceof ApiError) || error.problem.status !== 404) throw error
    return apiKey !== undefined && !(await isValid({ ...session, apiKey }))
  }
}

/** Tells whether the service accepts the key. It may refuse the operation for another reason. */
async function isValid(connection: Connection): Promise<boolean> {
  const { status } = await send(connection, 'GET', '/orders?limit=1')
  return status !== 401
}

/** Returns the advice for a key that stays valid. */
export function howToRevoke({ url, keyId }: IssuedKey): string {
  return `Run "platen logout --key ${keyId} --url ${url}" with its account to revoke it.`
}
