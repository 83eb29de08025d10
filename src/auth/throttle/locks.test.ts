import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { type RawBuilder, sql } from 'kysely'
import { startService, type TestResponse, type TestService } from '../../../test/harness.ts'
import { beginSignIn, enableTotp, totpCode, verifyFactor } from '../../../test/lib/second-factor.ts'
import { addPasskey, signInWithPasskey } from '../../../test/lib/software-authenticator.ts'
import { hashSecret } from '../keys/secrets.ts'
import { expirePendingSignIn, isPendingSignIn, takePendingSignIn } from '../pending-sign-ins/store.ts'

// The limit per IP address counts the attempts at all accounts.
const start = (t: TestContext) => startService(t, { env: { PLATEN_LOGIN_ATTEMPTS_PER_IP: '1000' } })

function login(service: TestService, { email, password }: { email: string; password: string }) {
  return service.request('POST', '/api/auth/login', { body: { email, password } })
}

/** Row of an account that each sign-in of it locks. */
const countOf = (userId: string) => sql`select 1 from account_operations where user_id = ${userId} for update`

/** Requires that `other` succeeds while `waiting` waits for a row. @returns the response of `waiting` */
async function requireNoWait(
  service: TestService,
  row: RawBuilder<unknown>,
  { waiting, other }: { waiting: () => Promise<TestResponse>; other: () => Promise<TestResponse> },
): Promise<TestResponse> {
  const { response } = await service.db.transaction().execute(async (held) => {
    const { rows } = await row.execute(held)
    assert.ok(rows.length > 0)
    const response = waiting()
    await service.untilBlocked()
    assert.equal((await other()).status, 200)
    return { response }
  })
  return response
}

test('a sign-in that waits for a row of its account does not keep others of its IP address waiting', async (t) => {
  const service = await start(t)
  const [who, other] = [await service.signUp(), await service.signUp()]
  const signedIn = await requireNoWait(service, countOf(who.userId), {
    waiting: () => login(service, who),
    other: () => login(service, other),
  })
  assert.equal(signedIn.status, 200)
})

test('a second factor that waits for a row of its account does not keep others of its IP address waiting', async (t) => {
  const service = await start(t)
  const [who, other] = [await service.signUp(), await service.signUp()]
  const [app, otherApp] = [await enableTotp(service, who), await enableTotp(service, other)]
  const [token, otherToken] = [await beginSignIn(service, who), await beginSignIn(service, other)]
  const send = (mfaToken: string, { secret }: { secret: string }) =>
    verifyFactor(service, mfaToken, { method: 'totp', code: totpCode(secret, service.clock) })
  const signedIn = await requireNoWait(service, countOf(who.userId), {
    waiting: () => send(token, app),
    other: () => send(otherToken, otherApp),
  })
  assert.equal(signedIn.status, 200)
})

test('a passkey that waits for a row of its account does not keep others of its IP address waiting', async (t) => {
  const service = await start(t)
  const [who, other] = [await service.signUp(), await service.signUp()]
  const { passkey } = await addPasskey(service, who.accessToken)
  const signedIn = await requireNoWait(service, countOf(who.userId), {
    waiting: () => signInWithPasskey(service, passkey),
    other: () => login(service, other),
  })
  assert.equal(signedIn.status, 200)
})

test('a sign-in that sends a mail again does not keep others of its IP address waiting', async (t) => {
  const service = await start(t)
  const [who, other] = [await service.signUp(), await service.signUp()]
  await sql`update users set email_verified_at = null where id = ${who.userId}`.execute(service.db)
  assert.equal((await login(service, who)).body.code, 'email_not_verified')
  const history = sql`select 1 from mail_history where kind = 'verify_email' for update`
  const refused = await requireNoWait(service, history, {
    waiting: () => login(service, who),
    other: () => login(service, other),
  })
  assert.equal(refused.body.code, 'email_not_verified')
})

test('a change of password that waits does not keep sign-ins of its IP address waiting', async (t) => {
  const service = await start(t)
  const [who, other] = [await service.signUp(), await service.signUp()]
  await service.request('POST', '/api/auth/password/forgot', { body: { email: who.email } })
  const body = { currentPassword: who.password, newPassword: 'another quiet harbour' }
  const tokens = sql`select 1 from email_tokens where user_id = ${who.userId} for update`
  const changed = await requireNoWait(service, tokens, {
    waiting: () => service.request('POST', '/api/auth/password/change', { token: who.accessToken, body }),
    other: () => login(service, other),
  })
  assert.equal(changed.status, 204)
})

// The completion locks the pending sign-in before the attempt, the block locks them in the reverse order.
test('a block does not wait for the pending sign-in that another request completes', async (t) => {
  const service = await start(t)
  const { db, clock } = service
  const who = await service.signUp()
  await enableTotp(service, who)
  const tokenHash = hashSecret(await beginSignIn(service, who))
  const expire = () =>
    db.transaction().execute(async (trx) => {
      await sql`set local lock_timeout = '1s'`.execute(trx)
      await expirePendingSignIn(trx, tokenHash, clock.now())
    })
  const completing = await db.startTransaction().execute()
  assert.ok(await takePendingSignIn(completing, tokenHash, clock.now()))
  try {
    await expire()
  } finally {
    await completing.rollback().execute()
  }
  const isPending = () => db.transaction().execute((trx) => isPendingSignIn(trx, tokenHash, clock.now()))
  assert.equal(await isPending(), true)
  await expire()
  assert.equal(await isPending(), false)
})
