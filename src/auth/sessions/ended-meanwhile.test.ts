import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import test from 'node:test'
import { sql } from 'kysely'
import { startService, type TestResponse, type TestService } from '../../../test/harness.ts'
import type { SignedUp } from '../../../test/people.ts'

interface Asking {
  service: TestService
  who: SignedUp
  keyId: string
}

/** Actions that change credentials. If the session ends while an action waits for a lock, the action must fail. */
const ACTIONS: Record<string, (asking: Asking) => Promise<TestResponse>> = {
  'SE-3, EM-5: requesting an email change': ({ service, who: { accessToken: token } }) =>
    service.request('POST', '/api/auth/email/change', { token, body: { newEmail: `${randomUUID()}@example.com` } }),
  'SE-3, AK-2: creating an API key': ({ service, who: { accessToken: token } }) =>
    service.request('POST', '/api/api-keys', {
      token,
      body: { name: 'ci', permissions: ['read'] },
      headers: { 'idempotency-key': randomUUID() },
    }),
  'SE-3, AK-6: rotating an API key': ({ service, who: { accessToken: token }, keyId }) =>
    service.request('POST', `/api/api-keys/${keyId}/rotate`, { token, body: { overlapSeconds: 0 } }),
  'SE-3, AK-5: revoking an API key': ({ service, who: { accessToken: token }, keyId }) =>
    service.request('DELETE', `/api/api-keys/${keyId}`, { token }),
  'SE-3, OA-8: unlinking a provider': ({ service, who: { accessToken: token } }) =>
    service.request('DELETE', '/api/auth/identities/google', { token }),
  'SE-3, PW-4: changing the password': ({ service, who: { accessToken: token, password: currentPassword } }) =>
    service.request('POST', '/api/auth/password/change', {
      token,
      body: { currentPassword, newPassword: 'gravel tango lighthouse' },
    }),
  'SE-3, SU-2: a step-up by password': ({ service, who: { accessToken: token, password } }) =>
    service.request('POST', '/api/auth/step-up', { token, body: { password } }),
}

async function traces({ db }: TestService, { userId, email }: SignedUp): Promise<string> {
  const { rows } = await sql`
    select u.email, u.password_hash,
      (select json_agg(row(k.id, k.key_hash, k.revoked_at) order by k.id) from api_keys k where k.user_id = u.id) as keys,
      (select json_agg(i.provider) from identities i where i.user_id = u.id) as identities,
      (select json_agg(t.purpose) from email_tokens t where t.user_id = u.id) as tokens,
      (select json_agg(s.authenticated_at order by s.id) from sessions s where s.user_id = u.id) as sessions,
      (select json_agg(e.type order by e.id) from security_events e
        where e.user_id = u.id and e.type <> 'session_revoked') as events,
      (select count(*) from idempotency_keys) as answers,
      (select count(*) from outbox_messages m where m.recipient = ${email}) as mails
    from users u where u.id = ${userId}`.execute(db)
  return JSON.stringify(rows)
}

test('SE-3: a change that waits while its session is revoked is rejected without effect', async (t) => {
  const service = await startService(t)
  for (const [name, act] of Object.entries(ACTIONS)) {
    await t.test(name, async () => {
      const who = await service.signUp()
      const { email, password, accessToken: token } = who
      const key = await service.request('POST', '/api/api-keys', { token, body: { name: 'k', permissions: ['read'] } })
      await sql`insert into identities (provider, subject, user_id, created_at)
        values ('google', ${randomUUID()}, ${who.userId}, now())`.execute(service.db)
      const owner = await service.request('POST', '/api/auth/login', { body: { email, password } })
      const before = await traces(service, who)
      const sent = await service.db.transaction().execute(async (trx) => {
        await sql`select from users where id = ${who.userId} for no key update`.execute(trx)
        const acting = act({ service, who, keyId: key.body.id })
        await service.untilBlocked()
        const { accessToken } = owner.body
        const ended = await service.request('POST', '/api/auth/sessions/revoke-others', { token: accessToken })
        assert.equal(ended.status, 204)
        return [acting]
      })
      const answer = await sent[0]
      assert.deepEqual([answer?.status, answer?.body.code], [401, 'credential_not_accepted'])
      assert.equal(await traces(service, who), before)
    })
  }
})
