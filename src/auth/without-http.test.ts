import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Registry } from 'prom-client'
import { createDatabase, temporaryDir } from '../../test/harness.ts'
import { readConfig } from '../config/index.ts'
import { systemClock } from '../platform/clock.ts'
import { openDatabase } from '../platform/db/index.ts'
import { createLog } from '../platform/telemetry/log.ts'
import { register } from './accounts/registration/register.ts'
import { verifyEmail } from './accounts/registration/verification.ts'
import { createAuth } from './auth.ts'
import type { Caller, Client } from './caller.ts'
import { enableFactor } from './mfa/enable-factor.ts'
import { changePassword } from './passwords/change-password.ts'
import { revokeOtherSessions } from './sessions/end-sessions.ts'
import type { SignedIn } from './sign-in/complete-sign-in.ts'
import { logIn } from './sign-in/log-in.ts'

const EMAIL = 'ada@example.com'
const PASSWORD = 'a quiet lake at dusk'
const NEW_PASSWORD = 'a loud river at noon'
const CLIENT: Client = { ip: '192.0.2.1', userAgent: 'a job', deviceCookie: undefined }

test('a program without a server registers, signs in and changes an account', async (t) => {
  const log = createLog({ level: 'silent' })
  const database = openDatabase({ ...(await createDatabase(t)), max: 4 }, log)
  t.after(() => database.close())
  const { db, pool, openApart } = database
  const auth = await createAuth({
    ...{ db, pool, openApart, log, clock: systemClock },
    config: readConfig({ PLATEN_DATA_DIR: await temporaryDir(t) }),
    metrics: { registry: new Registry() },
    replica: { read: (read) => read(db) },
    accountData: [],
    quota: {
      read: async () => ({ used: 0, quota: null }),
      accounts: {
        defaultQuota: null,
        find: async (ownerId) => ({ ownerId, used: 0, quota: null, ownQuota: null }),
        list: async () => [],
        sum: async () => 0,
      },
      requireRoomFor: async () => undefined,
      requireWithin: async () => undefined,
    },
  })
  t.after(() => auth.close())
  const { services } = auth
  const signIn = async (client: Client, password: string): Promise<SignedIn> => {
    const result = await logIn(services, client, { email: EMAIL, password })
    assert.ok(result.status === 'authenticated')
    return result
  }

  await register(services, CLIENT, { email: EMAIL, password: PASSWORD })
  const { text } = await db.selectFrom('outbox_messages').select('text').executeTakeFirstOrThrow()
  await verifyEmail(services, CLIENT, /token=([\w-]+)/.exec(text)?.[1] ?? '')
  const first = await signIn(CLIENT, PASSWORD)
  const { session, user, deviceCookie } = await signIn({ ...CLIENT, deviceCookie: first.deviceCookie }, PASSWORD)
  const caller: Caller = { userId: user.id, sessionId: session.id, client: { ...CLIENT, deviceCookie } }
  await revokeOtherSessions(services, caller)
  await changePassword(services, caller, { currentPassword: PASSWORD, newPassword: NEW_PASSWORD })
  await assert.rejects(signIn(CLIENT, PASSWORD), { code: 'invalid_credentials' })
  await signIn(CLIENT, NEW_PASSWORD)
  const { enrolment } = await enableFactor(services, caller, { method: 'totp' })
  assert.match(enrolment?.otpauthUri ?? '', /^otpauth:/)
})
