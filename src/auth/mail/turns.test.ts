import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startService } from '../../../test/harness.ts'

test('many registrations from one network do not delay the mail of a registration from another', async (t) => {
  const { request, db } = await startService(t, {
    env: { PLATEN_SMTP_URL: 'smtp://127.0.0.1:1', PLATEN_TRUSTED_PROXIES: '127.0.0.1' },
  })
  const registerFrom = async (ip: string, name: string): Promise<void> => {
    const body = { email: `${name}@example.com`, password: 'a quiet lake at dusk' }
    const headers = { 'x-forwarded-for': ip }
    assert.equal((await request('POST', '/api/auth/register', { body, headers })).status, 202)
  }
  // No job takes the mails, so they wait.
  for (let count = 1; count <= 4; count += 1) await registerFrom(`198.51.100.${count}`, `many-${count}`)
  await registerFrom('203.0.113.7', 'alone')
  const { rows } = await sql<{ recipient: string }>`
    select m.recipient from graphile_worker._private_jobs j
    join outbox_messages m on m.id = (j.payload->>'id')::bigint
    order by j.priority, j.run_at, j.id`.execute(db)
  const order = rows.map(({ recipient }) => recipient.split('@')[0])
  assert.deepEqual(order, ['many-1', 'alone', 'many-2', 'many-3', 'many-4'])
})
