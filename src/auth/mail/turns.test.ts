import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startService } from '../../../test/harness.ts'
import type { Db } from '../../platform/db/index.ts'
import { noteNewcomer } from '../../platform/newcomers.ts'

const env = { PLATEN_SMTP_URL: 'smtp://127.0.0.1:1', PLATEN_TRUSTED_PROXIES: '127.0.0.1' }

/** Lists the recipients of the urgent mails that wait, first the one whose mail is sent first. No job takes the mails. */
async function recipientsInOrder(db: Db): Promise<string[]> {
  const { rows } = await sql<{ recipient: string }>`
    select m.recipient from graphile_worker._private_jobs j
    join outbox_messages m on m.id = (j.payload->>'id')::bigint
    where j.priority < 1000
    order by j.priority, j.run_at, j.id`.execute(db)
  return rows.map(({ recipient }) => recipient.split('@')[0] ?? '')
}

for (const callers of ['anonymous callers', 'callers with accounts']) {
  test(`many registrations by ${callers} of one network do not delay the mail of a registration from another`, async (t) => {
    const { request, signUp, db } = await startService(t, { env })
    const registerFrom = async (ip: string, name: string): Promise<void> => {
      const credential = callers === 'anonymous callers' ? {} : { token: (await signUp()).accessToken }
      const body = { email: `${name}@example.com`, password: 'a quiet lake at dusk' }
      const headers = { 'x-forwarded-for': ip }
      assert.equal((await request('POST', '/api/auth/register', { body, headers, ...credential })).status, 202)
    }
    for (let count = 1; count <= 4; count += 1) await registerFrom(`198.51.100.${count}`, `many-${count}`)
    await registerFrom('203.0.113.7', 'alone')
    assert.deepEqual(await recipientsInOrder(db), ['many-1', 'alone', 'many-2', 'many-3', 'many-4'])
  })
}

for (const { senders, accounts, group } of [
  { senders: 'one customer', accounts: 1, group: undefined },
  { senders: 'the new customers of a network', accounts: 2, group: Buffer.alloc(4, 1) },
]) {
  test(`many new email addresses of ${senders} do not delay the mail of another customer`, async (t) => {
    const { request, signUp, db } = await startService(t, { env })
    const open = async (network: Buffer | undefined) => {
      const { userId, accessToken } = await signUp()
      if (network !== undefined) await db.transaction().execute((trx) => noteNewcomer(trx, userId, network))
      return async (name: string): Promise<void> => {
        const body = { newEmail: `${name}@example.com` }
        assert.equal((await request('POST', '/api/auth/email/change', { body, token: accessToken })).status, 202)
      }
    }
    const changes = await Promise.all(Array.from({ length: accounts }, () => open(group)))
    for (let count = 1; count <= 4; count += 1) await changes[count % accounts]?.(`many-${count}`)
    const changeAlone = await open(group === undefined ? undefined : Buffer.alloc(4, 7))
    await changeAlone('alone')
    assert.deepEqual(await recipientsInOrder(db), ['many-1', 'alone', 'many-2', 'many-3', 'many-4'])
  })
}
