import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest } from 'node:http'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from 'kysely'
import sharp from 'sharp'
import { countFiles, formOf, upload } from '../../src/assets/factory.ts'
import { documentOf, HELLO, startSignedIn } from '../../src/designs/factory.ts'
import { endReleases } from '../../src/platform/storage/quota/store.ts'
import { makeFont, toWoff } from '../../src/rendering/user-fonts/factory.ts'
import { startService, type TestResponse, type TestService } from '../harness.ts'
import { mailedToken, register } from '../people.ts'

const MIB = 1024 * 1024

/** Starts the service with a quota of 1 MiB per account, and signs in. */
function startWithQuota(t: TestContext) {
  return startSignedIn(t, { env: { PLATEN_STORAGE_QUOTA_MIB: '1' } })
}

/** Makes a PNG of about the given number of bytes. Each call makes another image. */
function makeNoise(bytes: number): Promise<Buffer> {
  const width = Math.round(Math.sqrt(bytes / 3))
  return sharp(randomBytes(width * width * 3), { raw: { width, height: width, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer()
}

/** Makes a document of about the given number of bytes. Most of them are path data. */
function documentOfBytes(bytes: number) {
  const path = `M0 0 ${'L1.23 4.56'.repeat(300)}`
  const place = { x: 10, y: 10, width: 20, height: 20 }
  const layers = Array.from({ length: Math.ceil(bytes / 3_200) }, (_, i) => {
    return { id: `path-${i}`, type: 'shape', shape: 'path', path, fill: '#336699', ...place } as const
  })
  return documentOf(layers)
}

async function usedBy(service: TestService, token: string): Promise<number> {
  const { status, body } = await service.request('GET', '/me/storage', { token })
  assert.equal(status, 200)
  assert.equal(body.quota, MIB)
  return body.used
}

/** Sets the recorded use of all accounts so that the given number of bytes is left. */
async function leaveRoom(service: TestService, bytes: number): Promise<void> {
  await sql`update storage_usage set bytes = ${MIB - bytes}, reconciled_at = now()`.execute(service.db)
}

function assertExceeded({ status, body, text }: TestResponse, used?: number): void {
  assert.deepEqual([status, body.code, body.quota], [413, 'storage_quota_exceeded', MIB], text.slice(0, 500))
  if (used !== undefined) assert.equal(body.used, used)
}

async function assertNothingReserved(service: TestService): Promise<void> {
  const { rows } = await sql`select from storage_reservations`.execute(service.db)
  assert.equal(rows.length, 0)
  assert.equal((await countFiles(service)).unfinished, 0)
}

test('an account stores up to its quota, and reads its use', async (t) => {
  const { service, token } = await startWithQuota(t)
  assert.equal(await usedBy(service, token), 0)
  const picture = await makeNoise(700_000)
  assert.equal((await upload(service, token, picture)).status, 201)
  assert.equal(await usedBy(service, token), picture.length)
  assertExceeded(await upload(service, token, await makeNoise(700_000)), picture.length)
  assertExceeded(await upload(service, token, formOf(['file', await makeNoise(700_000)])), picture.length)
  assert.equal((await upload(service, token, await makeNoise(200_000))).status, 201)
  const { accessToken: other } = await service.signUp()
  assert.equal((await upload(service, other, picture)).status, 201)
  assert.equal(await usedBy(service, other), picture.length, 'each account is charged for its own')
  await assertNothingReserved(service)
})

test('a file that fits exactly is accepted, also in a form', async (t) => {
  const { service, token } = await startWithQuota(t)
  const [one, two] = [await makeNoise(100_000), await makeNoise(100_000)]
  await service.request('GET', '/me/storage', { token })
  await leaveRoom(service, one.length)
  assert.equal((await upload(service, token, one)).status, 201)
  await leaveRoom(service, two.length)
  assert.equal((await upload(service, token, formOf(['file', two]))).status, 201)
  assert.equal(await usedBy(service, token), MIB)
})

test('the same bytes of the same account count once', async (t) => {
  const { service, token } = await startWithQuota(t)
  const picture = await makeNoise(300_000)
  assert.equal((await upload(service, token, picture)).status, 201)
  assert.equal((await upload(service, token, picture)).status, 200)
  assert.equal(await usedBy(service, token), picture.length)
})

test('a repeated upload with the same idempotency key succeeds even if the account has no space left', async (t) => {
  const { service, token } = await startWithQuota(t)
  const [picture, other] = [await makeNoise(300_000), await makeNoise(300_000)]
  const key = { 'idempotency-key': 'one' }
  const first = await upload(service, token, picture, key)
  assert.equal(first.status, 201)
  const send = (body: Buffer, headers: Record<string, string> = key) => upload(service, token, body, headers)
  const chunked = async () => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'image/png', ...key }
    const body = new Blob([new Uint8Array(picture)]).stream()
    return fetch(`${service.baseUrl}/assets`, { method: 'POST', headers, body, duplex: 'half' })
  }
  for (const room of [0, 100_000]) {
    await leaveRoom(service, room)
    const again = await send(picture)
    assert.deepEqual([again.status, again.headers.get('idempotent-replayed')], [201, 'true'])
    assert.deepEqual(again.body, first.body)
    assert.equal((await chunked()).status, 201)
    assert.equal((await send(other)).body.code, 'idempotency_key_reused')
    assertExceeded(await send(picture, { 'idempotency-key': 'two' }))
  }
  await assertNothingReserved(service)
  assert.equal((await countFiles(service)).stored, 1, 'nothing of what was refused')
})

// The service received the upload without checking the quota, because there was a stored response for the key.
test('if the idempotency key expires while an upload is received, the upload is rejected if the account has no space left', async (t) => {
  const { service, token } = await startWithQuota(t)
  const picture = await makeNoise(300_000)
  assert.equal((await upload(service, token, picture, { 'idempotency-key': 'one' })).status, 201)
  const { id } = (await service.request('GET', '/assets', { token })).body.data[0]
  assert.equal((await service.request('DELETE', `/assets/${id}`, { token })).status, 204)
  await leaveRoom(service, 0)
  const sent = new TransformStream<Uint8Array, Uint8Array>()
  const writer = sent.writable.getWriter()
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'image/png', 'idempotency-key': 'one' }
  const answer = fetch(`${service.baseUrl}/assets`, { method: 'POST', headers, body: sent.readable, duplex: 'half' })
  await writer.write(new Uint8Array(picture.subarray(0, 1_000)))
  while ((await countFiles(service)).unfinished === 0) await delay(20)
  await sql`delete from idempotency_keys`.execute(service.db)
  await writer.write(new Uint8Array(picture.subarray(1_000)))
  await writer.close()
  assert.equal((await answer).status, 413)
  await assertNothingReserved(service)
})

test('the quota is readable in a session only, and 0 disables it', async (t) => {
  const { service, token } = await startSignedIn(t, { env: { PLATEN_STORAGE_QUOTA_MIB: '0' } })
  assert.equal((await service.request('GET', '/me/storage')).status, 401)
  const picture = await makeNoise(100_000)
  await upload(service, token, picture)
  const { body } = await service.request('GET', '/me/storage', { token })
  assert.deepEqual(body, { used: picture.length, quota: null })
})

// The client sends no part of the body, so the rejection can only follow from the declared length.
test('an upload that declares too many bytes is rejected before its body is read', async (t) => {
  const { service, token } = await startWithQuota(t)
  const request = httpRequest(`${service.baseUrl}/assets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png', 'content-length': 2 * MIB },
  })
  request.on('error', () => undefined)
  request.flushHeaders()
  const [response] = await once(request, 'response')
  assert.equal(response.statusCode, 413)
  request.destroy()
  await assertNothingReserved(service)
})

test('an upload without a declared length is stopped at the quota', async (t) => {
  const { service, token } = await startWithQuota(t)
  let sent = 0
  const endless = new ReadableStream({
    pull: (controller) => {
      sent += MIB / 4
      controller.enqueue(randomBytes(MIB / 4))
      if (sent >= 32 * MIB) controller.close()
    },
  })
  const answer = await fetch(`${service.baseUrl}/assets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' },
    body: endless,
    duplex: 'half',
  })
  assert.deepEqual([answer.status, ((await answer.json()) as { code: string }).code], [413, 'storage_quota_exceeded'])
  await assertNothingReserved(service)
  assert.equal((await countFiles(service)).stored, 0)
  const chunked = new Blob([new Uint8Array(await makeNoise(300_000))]).stream()
  const fits = await fetch(`${service.baseUrl}/assets`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'image/png' },
    body: chunked,
    duplex: 'half',
  })
  assert.equal(fits.status, 201)
})

// The test makes the uploads overlap: eight connections of the service wait to write their reservations at the same
// time.
test('fifty concurrent uploads store no more than the quota', async (t) => {
  const { service, token } = await startWithQuota(t)
  const pictures = await Promise.all(Array.from({ length: 50 }, () => makeNoise(150_000)))
  let all: Promise<TestResponse[]> | undefined
  await service.db.transaction().execute(async (trx) => {
    await sql`lock table storage_reservations in share mode`.execute(trx)
    all = Promise.all(pictures.map((picture) => upload(service, token, picture)))
    await service.untilBlocked(2)
  })
  const answers = (await all) ?? []
  const stored = answers.filter(({ status }) => status === 201)
  assert.ok(stored.length >= 1 && stored.length <= 6, `${stored.length} were stored`)
  for (const answer of answers) if (answer.status !== 201) assertExceeded(answer)
  const { rows } = await sql<{ bytes: number }>`select sum(bytes)::bigint as bytes from assets`.execute(service.db)
  assert.equal(await usedBy(service, token), rows[0]?.bytes)
  await assertNothingReserved(service)
})

for (const [what, send] of [
  ['refused', async () => Buffer.from('not an image')],
  ['too large for the route', async () => Buffer.alloc(65 * MIB)],
] as const) {
  test(`an upload that is ${what} does not count in the quota`, async (t) => {
    const { service, token } = await startSignedIn(t, { env: { PLATEN_STORAGE_QUOTA_MIB: '100' } })
    const { status } = await upload(service, token, await send())
    assert.ok(status === 422 || status === 413, String(status))
    assert.equal((await service.request('GET', '/me/storage', { token })).body.used, 0)
    await assertNothingReserved(service)
  })
}

// If the font was charged only at the end, the service would store the unpacked font before the check of the quota.
test('a font is charged unpacked, before its bytes are stored', async (t) => {
  const { service, token } = await startWithQuota(t)
  const woff = toWoff(await makeFont({ family: 'Grand Sans' }))
  const send = () => service.request('POST', '/fonts', { token, body: woff, headers: { 'content-type': 'font/woff' } })
  await service.request('GET', '/me/storage', { token })
  await leaveRoom(service, woff.length)
  assertExceeded(await send())
  assert.deepEqual(await countFiles(service), { unfinished: 0, stored: 0 })
  await leaveRoom(service, MIB)
  const { status, body: font } = await send()
  assert.equal(status, 201)
  assert.ok(font.bytes > woff.length)
  assert.equal(await usedBy(service, token), font.bytes)
})

test('alternating uploads and deletions cannot exceed the quota', async (t) => {
  const { service, token } = await startWithQuota(t)
  const picture = await makeNoise(700_000)
  const { body: asset } = await upload(service, token, picture)
  assert.equal((await service.request('DELETE', `/assets/${asset.id}`, { token })).status, 204)
  assert.equal(await usedBy(service, token), picture.length)
  assertExceeded(await upload(service, token, await makeNoise(700_000)))
  const runJob = (name: string) => service.services.storageJobs.find((job) => job.name === name)?.handle({})
  await sql`update storage_objects set put_at = put_at - interval '25 hours'`.execute(service.db)
  await sql`update storage_releases set due_at = due_at - interval '25 hours'`.execute(service.db)
  await runJob('storage.reconcile')
  assert.equal(await usedBy(service, token), picture.length)
  await runJob('storage.collect')
  await runJob('storage.reconcile')
  assert.equal(await usedBy(service, token), 0)
  assert.equal((await upload(service, token, await makeNoise(700_000))).status, 201)
})

test('a draft counts by its document, report and metadata until it is finalized, even if archived, and its revisions always', async (t) => {
  const { service, token, create } = await startWithQuota(t)
  const bytesOf = async (id: string): Promise<number> => {
    const { rows } = await sql<{ bytes: number }>`
      select octet_length(document::text) + octet_length(preflight::text) + octet_length(metadata::text) as bytes
      from designs where id = ${id}`.execute(service.db)
    return rows[0]?.bytes ?? 0
  }
  const { body: design } = await create({ document: HELLO })
  assert.equal(await usedBy(service, token), await bytesOf(design.id))
  const metadata = { note: 'x'.repeat(400) }
  await service.request('PATCH', `/designs/${design.id}`, { token, body: { metadata } })
  const [kept] = await service.db.selectFrom('design_revisions').select('bytes').execute()
  const revisions = kept?.bytes ?? 0
  assert.ok(revisions > 0)
  assert.equal(await usedBy(service, token), (await bytesOf(design.id)) + revisions)
  const { body: copy } = await service.request('POST', `/designs/${design.id}/duplicate`, { token })
  assert.equal(await usedBy(service, token), (await bytesOf(design.id)) + (await bytesOf(copy.id)) + revisions)
  assert.equal((await service.request('POST', `/designs/${design.id}/finalize`, { token })).status, 200)
  assert.equal(await usedBy(service, token), (await bytesOf(copy.id)) + revisions)
  for (const id of [design.id, copy.id]) await service.request('DELETE', `/designs/${id}`, { token })
  // The event of an archived draft has its document.
  const used = 2 * (await bytesOf(copy.id)) + revisions
  assert.equal(await usedBy(service, token), used)
  await sql`update storage_usage set reconciled_at = null, bytes = 0`.execute(service.db)
  assert.equal(await usedBy(service, token), used, 'the reconciliation counts the same')
})

test('above the quota drafts are rejected, but smaller versions are always saved', async (t) => {
  const { service, token, create } = await startWithQuota(t)
  const { body: design } = await create({ document: documentOfBytes(150_000) })
  await leaveRoom(service, 1_000)
  assertExceeded(await create({ document: documentOfBytes(50_000) }), MIB - 1_000)
  assertExceeded(await service.request('POST', `/designs/${design.id}/duplicate`, { token }))
  const patch = (document: object) => service.request('PATCH', `/designs/${design.id}`, { token, body: { document } })
  assertExceeded(await patch(documentOfBytes(190_000)))
  await leaveRoom(service, -500_000)
  const saved = await patch(documentOfBytes(100_000))
  assert.deepEqual([saved.status, saved.body.revision], [200, 2])
  const { rows } = await sql`select from designs`.execute(service.db)
  assert.equal(rows.length, 1)
})

test('an account over its quota still finalizes', async (t) => {
  const { service, token, create } = await startWithQuota(t)
  const { body: design } = await create({ document: HELLO })
  await leaveRoom(service, -1)
  const { status } = await service.request('POST', `/designs/${design.id}/finalize`, { token })
  assert.equal(status, 200)
})

// Without this charge, clients could fill the database with stored responses, by creating drafts with a key and
// emptying them.
test('a long response that is stored for an idempotency key counts while it is stored', async (t) => {
  const { service, token, create } = await startWithQuota(t)
  const { body } = await create({ document: documentOfBytes(150_000) }, { 'idempotency-key': 'one' })
  const empty = { document: { version: 1, placements: [] } }
  await service.request('PATCH', `/designs/${body.id}`, { token, body: empty })
  const used = await usedBy(service, token)
  assert.ok(used > 140_000, String(used))
  await create({ document: HELLO }, { 'idempotency-key': 'two' })
  assert.ok((await usedBy(service, token)) < used + 10_000, 'a short answer is free')
})

// Without this limit, an account could fill the database with stored responses of requests that change little.
test('short responses that are stored for idempotency keys count for a day, and those of customers are limited', async (t) => {
  const service = await startService(t)
  const { userId, accessToken: token } = await service.signUp()
  const operator = await service.signUp({ role: 'operator' })
  const add = (key?: string, as = token) => {
    const headers: Record<string, string> = key === undefined ? {} : { 'idempotency-key': key }
    return service.request('POST', '/webhook-endpoints', { token: as, body: { url: 'https://a.example/' }, headers })
  }
  const counted = () =>
    service.db.selectFrom('idempotency_usage').select('bytes').where('caller', '=', userId).execute()
  const first = await add('one')
  assert.equal(first.status, 201)
  const [{ bytes = 0 } = {}] = await counted()
  assert.ok(Number(bytes) > first.text.length, String(bytes))
  await add('operator', operator.accessToken)
  await sql`
    insert into idempotency_usage (caller, slot, since, bytes)
    select ${userId}, n, ${service.clock.now()}, ${32 * MIB - 100} from generate_series(0, 7) n
    on conflict (caller, slot) do update set bytes = excluded.bytes`.execute(service.db)
  const refused = await add('two')
  assert.deepEqual([refused.status, refused.body.code, refused.body.quota], [413, 'storage_quota_exceeded', 256 * MIB])
  assert.equal((await add('operator-2', operator.accessToken)).status, 201)
  assert.equal((await add()).status, 201)
  const replayed = await add('one')
  assert.deepEqual([replayed.status, replayed.headers.get('idempotent-replayed')], [201, 'true'])
  await sql`update idempotency_usage set since = since - interval '24 hours'`.execute(service.db)
  assert.equal((await add('two')).status, 201)
  assert.ok(
    (await counted()).some(({ bytes }) => Number(bytes) < 10_000),
    'a new day',
  )
  assert.equal((await service.request('DELETE', '/me', { token })).status, 204)
  assert.deepEqual(await counted(), [])
})

// A client may open any number of guests.
test('the responses that are stored for guests of one network count together', async (t) => {
  const { service, product, variantId } = await startSignedIn(t)
  for (let guest = 1; guest <= 2; guest += 1) {
    const { accessToken: token } = (await service.request('POST', '/api/auth/guest')).body
    const body = { productId: product.id, variantId }
    const made = await service.request('POST', '/designs', { token, body, headers: { 'idempotency-key': 'one' } })
    assert.equal(made.status, 201)
  }
  const callers = await service.db.selectFrom('idempotency_usage').select('caller').distinct().execute()
  assert.equal(callers.length, 1)
})

test('the responses that are stored for a new customer count towards its storage quota', async (t) => {
  const { service, product, variantId } = await startSignedIn(t)
  const { accessToken: token } = await register(service)
  const create = (headers = {}) =>
    service.request('POST', '/designs', { token, body: { productId: product.id, variantId }, headers })
  const readUsed = async (): Promise<number> => (await service.request('GET', '/me/storage', { token })).body.used
  await create()
  const first = await readUsed()
  const { text } = await create({ 'idempotency-key': 'one' })
  assert.equal(await readUsed(), 2 * first + 512 + Buffer.byteLength(text))
})

// A client may register any number of accounts, and some requests change little and never read the quota.
test('the limit of the responses that are stored for a new customer is smaller, and has no exception', async (t) => {
  const { service, product, variantId } = await startSignedIn(t)
  const { accessToken: token, userId } = await register(service)
  const create = (key: string, document = HELLO) => {
    const body = { productId: product.id, variantId, document }
    return service.request('POST', '/designs', { token, body, headers: { 'idempotency-key': key } })
  }
  const counted = async () => {
    const { rows } = await sql<{ bytes: number }>`
      select sum(bytes)::bigint as bytes from idempotency_usage where caller = ${userId}`.execute(service.db)
    return rows[0]?.bytes ?? 0
  }
  const { text } = await create('short')
  assert.equal(await counted(), 512 + Buffer.byteLength(text))
  const before = await counted()
  const { text: long } = await create('long', documentOfBytes(150_000))
  assert.equal(await counted(), before + 512 + Math.ceil(Buffer.byteLength(long) / 8))
  await sql`
    insert into idempotency_usage (caller, slot, since, bytes)
    select ${userId}, n, ${service.clock.now()}, ${4 * MIB} from generate_series(0, 7) n
    on conflict (caller, slot) do update set bytes = excluded.bytes`.execute(service.db)
  const refused = await create('refused')
  assert.deepEqual([refused.status, refused.body.code, refused.body.quota], [413, 'storage_quota_exceeded', 32 * MIB])
})

test('for a day, the use of a deleted account counts for a new account with the same email address', async (t) => {
  const { service, token, email } = await startWithQuota(t)
  await upload(service, token, await makeNoise(200_000))
  const used = await usedBy(service, token)
  assert.ok(used > 200_000)
  assert.equal((await service.request('DELETE', '/me', { token })).status, 204)
  const again = await register(service, { email })
  assert.equal(await usedBy(service, again.accessToken), used)
  const other = await service.signUp()
  assert.equal(await usedBy(service, other.accessToken), 0)
  await sql`update storage_releases set due_at = now()`.execute(service.db)
  await endReleases(service.db, [])
  assert.equal(await usedBy(service, again.accessToken), 0)
})

test('after a change of the email address, the use of an account counts for both email addresses', async (t) => {
  const { service, token, email } = await startWithQuota(t)
  await upload(service, token, await makeNoise(200_000))
  const used = await usedBy(service, token)
  const changeTo = async (newEmail: string) => {
    service.clock.shift(61)
    const started = await service.request('POST', '/api/auth/email/change', { token, body: { newEmail } })
    assert.equal(started.status, 202, started.text)
    const body = { token: await mailedToken(service.request, service.origin, newEmail) }
    assert.equal((await service.request('POST', '/api/auth/email/confirm', { body })).status, 200)
  }
  const second = `second-${email}`
  await changeTo(second)
  await changeTo(email)
  assert.equal(await usedBy(service, token), used, 'its own bytes count once')
  await changeTo(second)
  const { accessToken } = await register(service, { email })
  assert.equal(await usedBy(service, accessToken), used)
})

test('the recorded use of storage is deleted with the account', async (t) => {
  const { service, token } = await startWithQuota(t)
  const { body: asset } = await upload(service, token, await makeNoise(100_000))
  await upload(service, token, await makeNoise(100_000))
  await service.request('DELETE', `/assets/${asset.id}`, { token })
  assert.equal((await service.request('DELETE', '/me', { token })).status, 204)
  for (const table of ['storage_releases', 'storage_reservations']) {
    const { rows } = await sql`select from ${sql.table(table)}`.execute(service.db)
    assert.equal(rows.length, 0, table)
  }
  // The row stays until every request that was in progress has ended, so that none of them gets a new quota.
  const usage = () => service.db.selectFrom('storage_usage').select('bytes').execute()
  assert.deepEqual(await usage(), [{ bytes: 0 }])
  service.clock.shift(2 * 3600)
  await service.services.auth.jobs.find(({ name }) => name === 'auth.erase')?.handle({})
  assert.deepEqual(await usage(), [])
})
