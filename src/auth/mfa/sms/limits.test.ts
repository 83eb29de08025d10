import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { startTwilio } from '../../../../test/fakes/twilio.ts'
import { type StartOptions, startService, type TestService } from '../../../../test/harness.ts'
import { Problem } from '../../../platform/problem.ts'
import { allJobs } from '../../../worker.ts'
import { newId } from '../../ids.ts'
import { parsePhoneNumber, sendSmsCode } from './codes.ts'

/** Makes a number in the block `+49 1…`. Numbers of one block begin with the same six digits. */
const numberOf = (block: number, n = 0): string => `+49${1000 + block}${String(n).padStart(7, '0')}`

const ipOf = (n: number): string => `192.0.${Math.floor(n / 250)}.${(n % 250) + 1}`

interface Sending {
  phoneNumber: string
  userId?: string
  ip?: string
  purpose?: 'enroll' | 'second_factor'
}

/** Each message has a new user, IP address and `boundTo`, unless the test gives them. */
async function startSending(t: TestContext, options: StartOptions = {}) {
  const service = await startService(t, options)
  let people = 0

  const addUser = async (): Promise<string> => {
    const id = newId('user')
    const now = service.clock.now()
    await service.db
      .insertInto('users')
      .values({ id, email: `${id}@example.com`, role: 'customer', created_at: now, updated_at: now })
      .execute()
    return id
  }

  /** Sends a message. Returns `sent` or the code of the problem. */
  const send = async ({ phoneNumber, ...given }: Sending): Promise<{ status: number; code: string; retry: number }> => {
    people += 1
    const user = { id: given.userId ?? (await addUser()) }
    const purpose = given.purpose ?? 'second_factor'
    const client = { ip: given.ip ?? ipOf(people), userAgent: '', deviceCookie: undefined }
    const { services } = service.services.auth
    try {
      await services.db
        .transaction()
        .execute((trx) => sendSmsCode(trx, services, client, { user, phoneNumber, purpose, boundTo: String(people) }))
      return { status: 200, code: 'sent', retry: 0 }
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      const { status, code, extras } = error
      const retryAfter = extras.headers?.['Retry-After'] ?? '0'
      assert.match(retryAfter, /^\d+$/)
      return { status, code, retry: Number(retryAfter) }
    }
  }

  const mustSend = async (sending: Sending): Promise<void> => {
    assert.equal((await send(sending)).code, 'sent', JSON.stringify(sending))
  }

  const mustRefuse = async (sending: Sending, { atLeast, atMost }: { atLeast: number; atMost: number }) => {
    const { status, code, retry } = await send(sending)
    assert.deepEqual([status, code], [429, 'sms_limited'], JSON.stringify(sending))
    assert.ok(retry >= atLeast && retry <= atMost, `Retry-After: ${retry}`)
  }

  return { service, addUser, send, mustSend, mustRefuse }
}

const countSent = async ({ db }: TestService): Promise<number> => {
  const { rows } = await sql<{ n: number }>`select count(*)::int as n from sms_history`.execute(db)
  return rows[0]?.n ?? 0
}

test('MF-8: one number gets one message a minute, 5 an hour and 10 a day, from all accounts', async (t) => {
  const { service, mustSend, mustRefuse } = await startSending(t)
  const phoneNumber = numberOf(1)
  await mustSend({ phoneNumber })
  await mustRefuse({ phoneNumber }, { atLeast: 50, atMost: 60 })
  for (let n = 2; n <= 5; n += 1) {
    service.clock.shift(61)
    await mustSend({ phoneNumber })
  }
  service.clock.shift(61)
  await mustRefuse({ phoneNumber }, { atLeast: 3200, atMost: 3600 - 5 * 61 })
  service.clock.shift(3600)
  for (let n = 6; n <= 10; n += 1) {
    service.clock.shift(61)
    await mustSend({ phoneNumber })
  }
  service.clock.shift(3600)
  await mustRefuse({ phoneNumber }, { atLeast: 70_000, atMost: 86_400 })
  service.clock.shift(86_400)
  await mustSend({ phoneNumber })
})

test("MF-8: a number is enrolled at most 3 times a day, without using up its owner's messages", async (t) => {
  const { service, mustSend, mustRefuse } = await startSending(t)
  const phoneNumber = numberOf(1)
  const enrolment = { phoneNumber, purpose: 'enroll' } as const
  for (let n = 1; n <= 3; n += 1) {
    await mustSend(enrolment)
    // Enrolments and codes together get one message a minute.
    await mustRefuse({ phoneNumber }, { atLeast: 1, atMost: 60 })
    service.clock.shift(61)
  }
  await mustRefuse(enrolment, { atLeast: 86_000, atMost: 86_400 - 61 })
  // Enrolments and codes have separate limits an hour and a day.
  for (let n = 1; n <= 5; n += 1) {
    await mustSend({ phoneNumber })
    service.clock.shift(61)
  }
  await mustRefuse({ phoneNumber }, { atLeast: 3200, atMost: 3600 })
  service.clock.shift(3600)
  for (let n = 6; n <= 10; n += 1) {
    await mustSend({ phoneNumber })
    service.clock.shift(61)
  }
  service.clock.shift(3600)
  await mustRefuse({ phoneNumber }, { atLeast: 70_000, atMost: 86_400 })
  service.clock.shift(86_400 - 2 * 3600 - 13 * 61)
  await mustSend(enrolment)
})

test('MF-8: a burst of enrolments blocks no codes to numbers with the same prefix', async (t) => {
  const { mustSend, mustRefuse } = await startSending(t)
  for (let n = 1; n <= 10; n += 1) await mustSend({ phoneNumber: numberOf(1, n), purpose: 'enroll' })
  await mustRefuse({ phoneNumber: numberOf(1, 11), purpose: 'enroll' }, { atLeast: 550, atMost: 600 })
  await mustSend({ phoneNumber: numberOf(1, 11) })
})

test('MF-8: one account sends at most 10 messages a day, over all numbers', async (t) => {
  const { service, addUser, mustSend, mustRefuse } = await startSending(t)
  const userId = await addUser()
  for (let block = 1; block <= 10; block += 1) await mustSend({ phoneNumber: numberOf(block), userId })
  await mustRefuse({ phoneNumber: numberOf(11), userId }, { atLeast: 86_000, atMost: 86_400 })
  await mustSend({ phoneNumber: numberOf(12) })
  service.clock.shift(86_400)
  await mustSend({ phoneNumber: numberOf(11), userId })
})

test('MF-8: one IP sends at most 20 messages a day, and an IPv6 network counts as one', async (t) => {
  const { mustSend, mustRefuse } = await startSending(t)
  for (let n = 1; n <= 20; n += 1) await mustSend({ phoneNumber: numberOf(n), ip: `2001:db8:1:2::${n}` })
  await mustRefuse({ phoneNumber: numberOf(21), ip: '2001:db8:1:2:ffff::1' }, { atLeast: 86_000, atMost: 86_400 })
  await mustSend({ phoneNumber: numberOf(21), ip: '2001:db8:1:3::1' })
})

// A client can rent a network, and open new accounts in it.
test('MF-8: one network enrols at most a tenth of the cap in an hour, other networks and codes are unaffected', async (t) => {
  const { service, mustSend, mustRefuse } = await startSending(t, { env: { PLATEN_SMS_PER_HOUR: '250' } })
  const networks = [
    { ipOfNetwork: (n: number) => `198.51.100.${n}`, ipOfOther: '198.51.101.1' },
    { ipOfNetwork: (n: number) => `2001:db8:1:${n}::1`, ipOfOther: '2001:db8:2:1::1' },
  ]
  for (const [index, { ipOfNetwork, ipOfOther }] of networks.entries()) {
    const enrolment = (n: number, ip = ipOfNetwork(n)) => {
      return { phoneNumber: numberOf(100 * index + n), ip, purpose: 'enroll' } as const
    }
    // Codes to enrolled numbers do not count.
    await mustSend({ ...enrolment(40), purpose: 'second_factor' })
    for (let n = 1; n <= 25; n += 1) await mustSend(enrolment(n))
    await mustRefuse(enrolment(26), { atLeast: 3500, atMost: 3600 })
    await mustSend({ ...enrolment(26), purpose: 'second_factor' })
    await mustSend(enrolment(27, ipOfOther))
  }
  const { registry } = service.services.auth.services.metrics
  assert.match(await registry.metrics(), /^platen_sms_capped_total 0$/m)
  service.clock.shift(3601)
  await mustSend({ phoneNumber: numberOf(28), ip: '198.51.100.28', purpose: 'enroll' })
})

test('MF-8: with a low cap, the enrolments of a network are limited no lower than those of one IP', async (t) => {
  const { mustSend, mustRefuse } = await startSending(t, { env: { PLATEN_SMS_PER_HOUR: '50' } })
  const enrolment = (n: number, ip: string) => ({ phoneNumber: numberOf(n), ip, purpose: 'enroll' }) as const
  for (let n = 1; n <= 20; n += 1) await mustSend(enrolment(n, '198.51.100.1'))
  await mustRefuse(enrolment(21, '198.51.100.2'), { atLeast: 3500, atMost: 3600 })
  await mustSend(enrolment(21, '198.51.101.1'))
})

test('MF-8: a burst to new numbers with one prefix is blocked, other numbers are not', async (t) => {
  const { service, mustSend, mustRefuse } = await startSending(t)
  for (let n = 1; n <= 10; n += 1) await mustSend({ phoneNumber: numberOf(1, n) })
  await mustRefuse({ phoneNumber: numberOf(1, 11) }, { atLeast: 550, atMost: 600 })
  await mustSend({ phoneNumber: numberOf(2, 11) })
  service.clock.shift(61)
  // A second code to the same number adds no new number.
  await mustSend({ phoneNumber: numberOf(1, 3) })
  await mustRefuse({ phoneNumber: numberOf(1, 11) }, { atLeast: 490, atMost: 540 })
  service.clock.shift(600)
  await mustSend({ phoneNumber: numberOf(1, 11) })
})

test('MF-8: rejected messages do not count', async (t) => {
  const { service, mustSend, mustRefuse } = await startSending(t)
  const phoneNumber = numberOf(1)
  await mustSend({ phoneNumber })
  for (let n = 0; n < 5; n += 1) await mustRefuse({ phoneNumber }, { atLeast: 1, atMost: 60 })
  service.clock.shift(60)
  await mustSend({ phoneNumber })
  assert.equal(await countSent(service), 2)
})

// Without the lock, both transactions would count the same messages before adding their own.
test('MF-8: of two concurrent requests for one number one is rejected', async (t) => {
  const { service, send } = await startSending(t)
  const answers: Promise<{ code: string }>[] = []
  await service.db.transaction().execute(async (trx) => {
    await sql`lock table sms_history in share mode`.execute(trx)
    answers.push(send({ phoneNumber: numberOf(1) }), send({ phoneNumber: numberOf(1) }))
    await service.untilBlocked(2)
  })
  const codes = (await Promise.all(answers)).map(({ code }) => code)
  assert.deepEqual(codes.sort(), ['sent', 'sms_limited'].sort())
  assert.equal(await countSent(service), 1)
})

test('MF-8: a number of a country outside the list is rejected without a call to the SMS service', async (t) => {
  const twilio = await startTwilio(t)
  const env = { PLATEN_SMS_URL: twilio.url, PLATEN_SMS_COUNTRIES: 'DE,US' }
  const { service, send } = await startSending(t, { env })
  const { services } = service.services.auth
  const outside = ['+33612345678', '+8613800138000', '+18765551234', '+883510012345678', '+447911123456']
  for (const phoneNumber of outside) {
    assert.throws(() => parsePhoneNumber(services, phoneNumber, '/phoneNumber'), { code: 'country_not_allowed' })
    // The number may have been enrolled when the list contained its country.
    const { status, code } = await send({ phoneNumber })
    assert.deepEqual([status, code], [422, 'country_not_allowed'], phoneNumber)
  }
  assert.equal(await countSent(service), 0)
  assert.equal((await service.db.selectFrom('outbox_messages').selectAll().execute()).length, 0)
  for (const job of allJobs(service.services)) if (job.name === 'messages.deliver') await job.handle({ id: 1 })
  assert.equal(twilio.requests.length, 0)
})

test('MF-8: premium numbers and landlines are rejected; malformed ones get 400', async (t) => {
  const env = { PLATEN_SMS_URL: 'http://AC1:x@127.0.0.1:1', PLATEN_SMS_COUNTRIES: 'DE,US' }
  const { services } = (await startService(t, { env })).services.auth
  const parse = (text: string) => parsePhoneNumber(services, text, '/phoneNumber')
  for (const number of ['+19005551234', '+18005551234', '+493012345678']) {
    assert.throws(() => parse(number), { code: 'phone_number_not_mobile', status: 422 }, number)
  }
  const nonsense = [
    '',
    'hello',
    '+',
    '0151 12345678',
    '4915112345678',
    '+49',
    '+999123456789',
    '+4915112345678 ext 5',
    'tel:+4915112345678',
    '+4915112345678,+4915112345679',
    '+4915112345678\r\nTo: +18765551234',
    '+４９15112345678',
    `+49${'1'.repeat(100)}`,
    '+4990012345678',
  ]
  for (const text of nonsense) {
    assert.throws(
      () => parse(text),
      (error) => {
        assert.ok(error instanceof Problem)
        assert.deepEqual([error.status, error.extras.errors?.[0]?.pointer], [400, '/phoneNumber'], text)
        return true
      },
    )
  }
  assert.equal(parse('+49 (151) 123-456.78'), '+4915112345678')
  assert.equal(parse('+1 202 555 0143'), '+12025550143')
  // The area code was assigned after the release of the library.
  assert.equal(parse('+15551234567'), '+15551234567')
})

test('MF-8: the outbox accepts invented numbers of any country, but no impossible ones', async (t) => {
  const { services } = (await startService(t)).services.auth
  const parse = (text: string) => parsePhoneNumber(services, text, '/phoneNumber')
  for (const number of ['+15551234567', '+447700900123', '+8613800138000']) assert.equal(parse(number), number)
  for (const text of ['+79991234567890', 'hello', '+999123456789']) {
    assert.throws(() => parse(text), { code: 'validation_failed', status: 400 }, text)
  }
})

test('MF-8: all messages together are capped, and administrators get one mail an hour', async (t) => {
  const { service, send, mustSend } = await startSending(t, { env: { PLATEN_SMS_PER_HOUR: '3' } })
  await service.signUp({ role: 'admin', email: 'ada@example.com' })
  const alerts = async (): Promise<number> => {
    const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
    return body.filter(({ to, text }: { to: string; text: string }) => {
      return to === 'ada@example.com' && text.includes('PLATEN_SMS_PER_HOUR')
    }).length
  }
  for (let block = 1; block <= 3; block += 1) await mustSend({ phoneNumber: numberOf(block) })
  for (let block = 4; block <= 5; block += 1) {
    const { status, code, retry } = await send({ phoneNumber: numberOf(block) })
    assert.deepEqual([status, code], [503, 'sms_unavailable'])
    assert.ok(retry > 3500 && retry <= 3600, String(retry))
  }
  assert.equal(await alerts(), 1)
  assert.equal(service.logLines().split('PLATEN_SMS_PER_HOUR is reached').length - 1, 1)
  const { registry } = service.services.auth.services.metrics
  assert.match(await registry.metrics(), /^platen_sms_capped_total 2$/m)
  assert.equal(await countSent(service), 3)

  service.clock.shift(3601)
  for (let block = 6; block <= 8; block += 1) await mustSend({ phoneNumber: numberOf(block) })
  assert.equal((await send({ phoneNumber: numberOf(9) })).status, 503)
  assert.equal(await alerts(), 2)
  assert.equal(service.logLines().split('PLATEN_SMS_PER_HOUR is reached').length - 1, 2)
})

// Anyone can cause enrolments, with new accounts and invented numbers.
test('MF-8: enrolments use up at most half of the cap, which is reported, and codes to enrolled numbers get the rest', async (t) => {
  const { service, send, mustSend } = await startSending(t, { env: { PLATEN_SMS_PER_HOUR: '5' } })
  await service.signUp({ role: 'admin', email: 'ada@example.com' })
  for (let block = 1; block <= 2; block += 1) await mustSend({ phoneNumber: numberOf(block), purpose: 'enroll' })
  const refused = await send({ phoneNumber: numberOf(3), purpose: 'enroll' })
  assert.deepEqual([refused.status, refused.code], [503, 'sms_unavailable'])
  const mails = async (words: string): Promise<number> => {
    const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
    return body.filter(({ text }: { text: string }) => text.includes(words)).length
  }
  assert.equal(await mails('2 text messages to confirm new'), 1)
  for (let block = 4; block <= 6; block += 1) await mustSend({ phoneNumber: numberOf(block) })
  assert.equal((await send({ phoneNumber: numberOf(7) })).status, 503)
  assert.equal(await mails('5 text messages within an hour'), 1)
  service.clock.shift(3601)
  await mustSend({ phoneNumber: numberOf(3), purpose: 'enroll' })
})

test('MF-8: while the cap lasts, administrators get one mail an hour, not one for each message', async (t) => {
  const { service, send, mustSend } = await startSending(t, { env: { PLATEN_SMS_PER_HOUR: '2' } })
  await service.signUp({ role: 'admin', email: 'ada@example.com' })
  await mustSend({ phoneNumber: numberOf(1) })
  service.clock.shift(1800)
  await mustSend({ phoneNumber: numberOf(2) })
  service.clock.shift(1801)
  await mustSend({ phoneNumber: numberOf(3) })
  assert.equal((await send({ phoneNumber: numberOf(4) })).status, 503)
  const { body } = await service.request('GET', `${service.origin}/dev/outbox`)
  assert.equal(body.filter(({ text }: { text: string }) => text.includes('PLATEN_SMS_PER_HOUR')).length, 1)
})

test('LG-2: the message history holds no telephone number, and is pruned after the longest limit', async (t) => {
  const { service, mustSend } = await startSending(t)
  await mustSend({ phoneNumber: numberOf(1) })
  const rows = await service.db.selectFrom('sms_history').selectAll().execute()
  assert.ok(!JSON.stringify(rows).includes(numberOf(1).slice(3)))
  assert.match(rows[0]?.number_hash ?? '', /^[0-9a-f]{64}$/)
  const prune = allJobs(service.services).find(({ name }) => name === 'auth.prune')
  await prune?.handle({})
  assert.equal(await countSent(service), 1)
  service.clock.shift(86_401)
  await prune?.handle({})
  assert.equal(await countSent(service), 0)
  assert.equal((await service.db.selectFrom('auth_challenges').selectAll().execute()).length, 0)
})
