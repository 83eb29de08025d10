import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'
import { test } from 'node:test'
import { sql } from 'kysely'
import { enqueue } from '../src/platform/jobs/jobs.ts'
import { sendMessage } from '../src/platform/messages/mail.ts'
import { startMailServer } from './fakes/mail-server.ts'
import { startService } from './harness.ts'
import { until } from './lib/until.ts'

test('with a mail server, a job sends each mail to one recipient and then deletes it', async (t) => {
  const mailServer = await startMailServer(t)
  const service = await startService(t, { env: { PLATEN_SMTP_URL: mailServer.url } })
  service.startJobs()
  await service.request('POST', '/api/auth/register', {
    body: { email: 'ada@example.com', password: 'a quiet lake at dusk' },
  })
  await until('mails', () => mailServer.received.length > 0)
  const [mail] = mailServer.received
  assert.deepEqual(mail?.to, ['ada@example.com'])
  // The content is quoted-printable, which breaks lines with "=" and writes "=" as "=3D".
  assert.match(mail?.content.replaceAll('=\n', '') ?? '', /http:\/\/platen\.localhost\/verify-email\?token=/)
  await until(
    'an empty outbox',
    async () => (await service.request('GET', `${service.origin}/dev/outbox`)).body.length === 0,
  )
})

test('a mail server that rejects a mail does not fail the request, and the job retries', async (t) => {
  const mailServer = await startMailServer(t, 1)
  const service = await startService(t, { env: { PLATEN_SMTP_URL: mailServer.url } })
  service.startJobs()
  const answer = await service.request('POST', '/api/auth/register', {
    body: { email: 'ada@example.com', password: 'a quiet lake at dusk' },
  })
  assert.equal(answer.status, 202)
  await until('mails', () => mailServer.received.length > 0)
})

test('mails with links are sent first, and many mails to one recipient do not delay a mail to another', async (t) => {
  const mailServer = await startMailServer(t)
  const service = await startService(t, { env: { PLATEN_SMTP_URL: mailServer.url } })
  const send = (to: string, isUrgent: boolean) =>
    sendMessage(
      service.db,
      { channel: 'email', kind: 'test', to, subject: 'Hello', text: 'Hello', isUrgent },
      service.clock.now(),
    )
  for (let n = 0; n < 20; n += 1) await send('mallory@example.com', false)
  await send('victor@example.com', false)
  await send('wendy@example.com', true)
  const gate = Promise.withResolvers<void>()
  const first: (string | undefined)[] = []
  mailServer.onMail = ({ to }) => {
    first.push(to[0])
    return gate.promise
  }
  service.startJobs()
  // The service sends four mails at a time, which the server has not taken yet.
  await until('mails', () => first.length === 4)
  assert.ok(first.includes('wendy@example.com') && first.includes('victor@example.com'), first.join())
  gate.resolve()
  await until('mails', () => mailServer.received.length === 22)
})

test('a mail server that hangs does not delay other jobs', async (t) => {
  const sockets: Socket[] = []
  const silent = createServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1')
  await once(silent, 'listening')
  t.after(() => {
    for (const socket of sockets) socket.destroy()
    silent.close()
  })
  const address = silent.address()
  assert.ok(address !== null && typeof address === 'object')
  const service = await startService(t, { env: { PLATEN_SMTP_URL: `smtp://127.0.0.1:${address.port}` } })
  for (let n = 0; n < 8; n += 1) {
    const message = {
      channel: 'email',
      kind: 'test',
      to: `user${n}@example.com`,
      subject: 'Hello',
      text: 'Hello',
    } as const
    await sendMessage(service.db, message, service.clock.now())
  }
  service.startJobs()
  await until('four connections', () => sockets.length === 4)
  await enqueue(service.db, 'idempotency.prune', {})
  const waiting = sql`select from graphile_worker.jobs where task_identifier = 'idempotency.prune'`
  await until('the other job', async () => (await waiting.execute(service.db)).rows.length === 0)
  assert.deepEqual(
    sockets.map(({ destroyed }) => destroyed),
    [false, false, false, false],
    'the job did not wait for the mail server',
  )
})

test('the runner accepts every job definition', async (t) => {
  const service = await startService(t)
  service.startJobs()
  await service.close()
  assert.doesNotMatch(service.logLines(), /the job runner failed/)
})
