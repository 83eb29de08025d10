import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { type Behaviour, startTwilio } from '../../../test/fakes/twilio.ts'
import { type StartOptions, startService } from '../../../test/harness.ts'
import { until } from '../../../test/lib/until.ts'
import { allJobs } from '../../worker.ts'
import { addSeconds } from '../clock.ts'
import { createLog } from '../telemetry/log.ts'
import { listMessages, sendMessage } from './mail.ts'
import { createTextSender } from './sms.ts'

const NUMBER = '+4915112345678'
const TEXT = '123456 is your Platen code.'
const quiet = createLog({ level: 'silent' })

const REFUSED: Behaviour = {
  status: 400,
  body: JSON.stringify({ status: 400, code: 21211, message: `The 'To' number ${NUMBER} is not valid` }),
}

/**
 * Starts a service that sends through a fake SMS service, and returns functions for its delivery of one text message.
 */
async function startSending(t: TestContext, options: StartOptions = {}) {
  const twilio = await startTwilio(t)
  const service = await startService(t, {
    ...options,
    env: { PLATEN_SMS_URL: twilio.url, PLATEN_SMS_COUNTRIES: 'DE', ...options.env },
  })
  const job = allJobs(service.services).find(({ name }) => name === 'messages.deliver')
  assert.ok(job)
  const send = async (): Promise<{ id: number; expiresAt: string }> => {
    const expiresAt = addSeconds(service.clock.now(), 600)
    await sendMessage(
      service.db,
      { channel: 'sms', kind: 'sms_code', to: NUMBER, text: TEXT, expiresAt },
      service.clock.now(),
    )
    const { id } = await service.db.selectFrom('outbox_messages').select('id').executeTakeFirstOrThrow()
    return { id, expiresAt: expiresAt.toJSON() }
  }
  return { twilio, service, send, deliver: job.handle, waiting: () => listMessages(service.db) }
}

test('MF-7: a job sends a code again that the SMS service did not accept at first, then deletes it', async (t) => {
  const { twilio, service, send, waiting } = await startSending(t)
  twilio.next({ status: 503 })
  service.startJobs()
  await send()
  await until('a message', () => twilio.messages.length > 0)
  assert.deepEqual(twilio.messages, [{ to: NUMBER, from: 'Platen', text: TEXT }])
  await until('the end of the jobs', async () => (await waiting()).length === 0)
  assert.equal(twilio.requests.length, 2)
})

test('MF-7: after any temporary failure of the SMS service, a text message is retried', async (t) => {
  const { twilio, send, deliver, waiting } = await startSending(t)
  const failures: Behaviour[] = [
    { status: 500 },
    { status: 429, body: '{"code":20429}' },
    { status: 408 },
    { status: 302, headers: { Location: 'http://127.0.0.1:1/elsewhere' } },
    { status: 503, isEndless: true },
    'disconnect',
  ]
  twilio.next(...failures)
  const delivery = await send()
  for (const failure of failures) {
    await assert.rejects(deliver(delivery), JSON.stringify(failure).slice(0, 80))
    assert.equal((await waiting()).length, 1)
  }
  await deliver(delivery)
  assert.equal(twilio.messages.length, 1)
  assert.equal((await waiting()).length, 0)
})

test('MF-8: a text message that the SMS service accepted is not sent again, whatever the response contains', async (t) => {
  const { twilio, send, deliver, waiting } = await startSending(t)
  const answers: Behaviour[] = [
    { status: 204 },
    { status: 200, body: 'queued' },
    { status: 201, body: '"SM1"' },
    { status: 200, body: JSON.stringify({ sid: 'S'.repeat(1_000_000) }) },
    { status: 201, body: '{"sid":', isEndless: true },
  ]
  for (const answer of answers) {
    twilio.next(answer)
    await deliver(await send())
    assert.equal((await waiting()).length, 0, JSON.stringify(answer).slice(0, 80))
  }
  assert.equal(twilio.requests.length, answers.length)
})

test('MF-8: a text message is tried at most five times, a mail more often', async (t) => {
  const { service, send } = await startSending(t)
  await send()
  await sendMessage(
    service.db,
    { channel: 'email', kind: 'test', to: 'ada@example.com', text: TEXT },
    service.clock.now(),
  )
  const { rows } = await sql<{ attempts: number }>`
    select max_attempts as attempts from graphile_worker.jobs where task_identifier = 'messages.deliver' order by 1`.execute(
    service.db,
  )
  assert.deepEqual(
    rows.map(({ attempts }) => attempts),
    [5, 25],
  )
})

test('MF-7: a redirect of the SMS service is not followed', async (t) => {
  const { twilio, send, deliver } = await startSending(t)
  const elsewhere = await startTwilio(t)
  twilio.next({ status: 307, headers: { Location: elsewhere.url.replace(/\/\/.*@/, '//') } })
  await assert.rejects(deliver(await send()), /response of the SMS service is 307/)
  assert.equal(elsewhere.requests.length, 0)
})

test('MF-7: a request to an SMS service that hangs is aborted', async (t) => {
  const twilio = await startTwilio(t)
  twilio.next('hang')
  const send = createTextSender(twilio.url, quiet, { timeoutMs: 50 })
  await assert.rejects(send({ to: NUMBER, text: TEXT }), { name: 'TimeoutError' })
})

test('MF-7: a code is not sent after it has expired, however long the SMS service was unavailable', async (t) => {
  const { twilio, service, send, deliver, waiting } = await startSending(t)
  const delivery = await send()
  service.clock.shift(600)
  await deliver(delivery)
  assert.equal(twilio.requests.length, 0)
  assert.equal((await waiting()).length, 0)
})

test('a text message that the service rejects is dropped and not retried', async (t) => {
  const { twilio, send, deliver, waiting } = await startSending(t)
  twilio.next(REFUSED)
  await deliver(await send())
  assert.equal((await waiting()).length, 0)
  assert.equal(twilio.requests.length, 1)
})

test('LG-2: neither number, code nor password of the SMS service reaches the log', async (t) => {
  const { twilio, service, send, waiting } = await startSending(t)
  service.startJobs()
  twilio.next({ status: 503, body: `${NUMBER} ${TEXT}` }, REFUSED)
  await send()
  await until('the end of the jobs', async () => (await waiting()).length === 0)
  const log = service.logLines()
  assert.match(log, /the status of the response of the SMS service is 503/)
  assert.match(log, /"errorCode":21211/)
  for (const secret of [NUMBER.slice(1), '123456', twilio.password, encodeURIComponent(twilio.password)]) {
    assert.ok(!log.includes(secret), secret)
  }
})

test('the URL of an SMS service states the endpoint, the credentials and the sender', async (t) => {
  const twilio = await startTwilio(t)
  twilio.always({ status: 201, body: '{"sid":"SM1"}' })
  const host = new URL(twilio.url).host
  const cases: [address: string, path: string, credentials: string | undefined, sender: Record<string, string>][] = [
    [`http://AC1:p%40ss@${host}`, '/2010-04-01/Accounts/AC1/Messages.json', 'AC1:p@ss', { From: 'Platen' }],
    [`http://AC1:x@${host}/?from=%2B4915`, '/2010-04-01/Accounts/AC1/Messages.json', 'AC1:x', { From: '+4915' }],
    [`http://AC1:x@${host}/send?From=Shop&region=eu`, '/send?region=eu', 'AC1:x', { From: 'Shop' }],
    [`http://${host}/send?MessagingServiceSid=MG1`, '/send', undefined, { MessagingServiceSid: 'MG1' }],
  ]
  for (const [address, path, credentials, sender] of cases) {
    await createTextSender(address, quiet)({ to: NUMBER, text: TEXT })
    assert.deepEqual(twilio.requests.at(-1), { path, credentials, form: { To: NUMBER, ...sender, Body: TEXT } })
  }
})
