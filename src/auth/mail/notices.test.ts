import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { startService, type TestService } from '../../../test/harness.ts'
import { mailSecurityNotice } from './notices.ts'

const OWNER = 'ada@example.com'

async function notify({ db, services }: TestService, subject: string, count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) {
    const notice = { subject, what: `${subject} (details).` }
    await db.transaction().execute((trx) => mailSecurityNotice(trx, services.auth.services, OWNER, notice))
  }
}

async function mails({ db }: TestService) {
  return db.selectFrom('outbox_messages').select(['id', 'subject', 'text', 'send_after']).orderBy('id').execute()
}

test('notices beyond twenty in an hour become one mail that counts them, and a flood hides no other kind', async (t) => {
  const service = await startService(t)
  await notify(service, 'A key was made', 50)
  await notify(service, 'A factor was removed', 3)
  const [summary, factor, ...further] = (await mails(service)).slice(20)
  assert.deepEqual(further, [])
  assert.deepEqual([factor?.subject, factor?.send_after], ['A factor was removed', null])
  assert.equal(summary?.subject, '32 security notices for your account')
  assert.match(summary.text, /And 12 more\. GET \/me\/security-events/)
  assert.match(summary.text, /30 × A key was made\n2 × A factor was removed/)
  const waitMs = Number(summary.send_after) - service.clock.now().getTime()
  assert.ok(waitMs > 3_500_000 && waitMs <= 3_600_000, String(waitMs))
  const { rows } = await sql`select from graphile_worker.jobs where run_at = ${summary.send_after}`.execute(service.db)
  assert.equal(rows.length, 1)
  // The limit applies to each hour separately.
  service.clock.shift(3601)
  await notify(service, 'A key was made', 1)
  assert.equal((await mails(service)).length, 23)
})

test('a notice joins one that the mail server has not received yet, but not one that is being sent', async (t) => {
  const service = await startService(t, { env: { PLATEN_SMTP_URL: 'smtp://127.0.0.1:9' } })
  await notify(service, 'A key was made', 2)
  await notify(service, 'A key was revoked', 1)
  const [joined, ...further] = await mails(service)
  assert.deepEqual(further, [])
  assert.equal(joined?.subject, '3 security notices for your account')
  assert.match(joined.text, /2 × A key was made\n1 × A key was revoked/)
  await service.db.updateTable('outbox_messages').set({ sending_at: service.clock.now() }).execute()
  await notify(service, 'A key was made', 1)
  assert.deepEqual(
    (await mails(service)).map(({ subject }) => subject),
    ['3 security notices for your account', 'A key was made'],
  )
})
