import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { sql } from 'kysely'
import { startService } from '../../../../test/harness.ts'
import { beginSignIn, enableTotp, verifyFactor } from '../../../../test/lib/second-factor.ts'

async function start(t: TestContext) {
  const service = await startService(t)
  const who = await service.signUp()
  const app = await enableTotp(service, who)
  const use = async (code: string | undefined) =>
    verifyFactor(service, await beginSignIn(service, who), { method: 'recovery_code', code })
  const renew = (body?: object) =>
    service.request('POST', '/api/auth/mfa/recovery-codes', { token: who.accessToken, body })
  const left = async (): Promise<number> =>
    (await service.request('GET', '/api/auth/mfa', { token: who.accessToken })).body.recoveryCodesLeft
  const mails = async (subject: string): Promise<{ text: string }[]> => {
    const outbox = await service.request('GET', `${service.origin}/dev/outbox`)
    return outbox.body.filter(
      (mail: { to: string; subject: string }) => mail.to === who.email && mail.subject === subject,
    )
  }
  return { service, who, use, renew, left, mails, codes: app.recoveryCodes }
}

test('MF-6: ten codes of 80 random bits are stored as hashes, and only their number is shown', async (t) => {
  const { service, who, codes, left } = await start(t)
  assert.equal(new Set(codes).size, 10)
  // A code has sixteen characters from an alphabet of 32.
  for (const code of codes) assert.match(code, /^([0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}$/)
  const shown = await service.request('GET', '/api/auth/mfa', { token: who.accessToken })
  const { rows } = await sql`select * from recovery_codes`.execute(service.db)
  const stored = JSON.stringify(rows)
  for (const code of codes) {
    for (const form of [code, code.replaceAll('-', '')]) assert.ok(!shown.text.includes(form) && !stored.includes(form))
  }
  assert.equal(await left(), 10)
})

test('MF-6, LG-3: a code in any spelling signs in once, and a mail tells the owner', async (t) => {
  const { use, codes, left, mails } = await start(t)
  const forms = [
    (code: string) => code,
    (code: string) => code.toLowerCase(),
    (code: string) => code.replaceAll('-', ''),
    (code: string) => ` ${code.replaceAll('-', ' ')} `,
    (code: string) => code.replaceAll('0', 'o').replaceAll('1', 'l'),
  ]
  for (const [index, form] of forms.entries()) {
    const result = await use(form(codes[index] ?? ''))
    assert.deepEqual([result.status, result.body.status], [200, 'authenticated'])
    const again = await use(codes[index])
    assert.deepEqual([again.status, again.body.code], [401, 'invalid_code'])
  }
  assert.equal(await left(), 5)
  const told = await mails('A recovery code was used')
  assert.equal(told.length, 5)
  assert.match(told[0]?.text ?? '', /left: 5/)
})

test('MF-6: of twenty concurrent sign-ins with one code, one succeeds', async (t) => {
  const { service, who, codes } = await start(t)
  const tokens = await Promise.all(Array.from({ length: 20 }, () => beginSignIn(service, who)))
  // The lock makes the sign-ins overlap.
  const held = await service.db.startTransaction().execute()
  await sql`select 1 from users where id = ${who.userId} for update`.execute(held)
  const sent = tokens.map((token) => verifyFactor(service, token, { method: 'recovery_code', code: codes[0] }))
  await service.untilBlocked(5)
  await held.commit().execute()
  const statuses = (await Promise.all(sent)).map(({ status }) => status)
  assert.equal(statuses.filter((status) => status === 200).length, 1)
  assert.ok(statuses.every((status) => [200, 401, 429].includes(status)))
})

test('MF-6: new codes replace the earlier ones, end other sessions, and are mailed as a notice', async (t) => {
  const { service, use, renew, codes, left, mails } = await start(t)
  const other = (await use(codes[0])).body.accessToken
  const waiting = await use('0000-0000-0000-0000')
  assert.equal(waiting.status, 401)
  const renewed = await renew()
  assert.equal(renewed.status, 200)
  const fresh: string[] = renewed.body.recoveryCodes
  assert.equal(new Set([...codes, ...fresh]).size, 20)
  assert.equal(await left(), 10)
  assert.equal((await service.request('GET', '/me', { token: other })).status, 401)
  assert.equal((await mails('You have new recovery codes')).length, 1)
  assert.equal((await use(codes[1])).status, 401)
  assert.equal((await use(fresh[0])).status, 200)
  assert.equal((await renew({})).status, 200)
  assert.equal((await use(fresh[1])).status, 401)
})

test('MF-6: codes come with the first factor only, even if they were used up', async (t) => {
  const { service, who, use, codes } = await start(t)
  for (const code of codes) assert.equal((await use(code)).status, 200)
  const begun = await service.request('POST', '/api/auth/mfa/enable', {
    token: who.accessToken,
    body: { method: 'sms', phoneNumber: '+4915112345678' },
  })
  const outbox = await service.request('GET', `${service.origin}/dev/outbox`)
  const code = /\d{6}/.exec(outbox.body.find(({ channel }: { channel: string }) => channel === 'sms').text)?.[0]
  const body = { factorId: begun.body.factorId, code }
  const second = await service.request('POST', '/api/auth/mfa/confirm', { token: who.accessToken, body })
  assert.deepEqual(second.body, { status: 'enabled' })
  const login = await service.request('POST', '/api/auth/login', { body: { email: who.email, password: who.password } })
  assert.deepEqual(login.body.methods, ['totp', 'sms'])

  const { accessToken: token } = await service.signUp()
  const refused = await service.request('POST', '/api/auth/mfa/recovery-codes', { token })
  assert.deepEqual([refused.status, refused.body.code], [409, 'mfa_not_enabled'])
})

test('MF-6: a code works for its own account only', async (t) => {
  const { service, codes } = await start(t)
  const other = await service.signUp()
  await enableTotp(service, other)
  const mfaToken = await beginSignIn(service, other)
  for (const code of codes.slice(0, 3)) {
    assert.equal((await verifyFactor(service, mfaToken, { method: 'recovery_code', code })).status, 401)
  }
})
