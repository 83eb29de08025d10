import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { type TestContext, test } from 'node:test'
import { sql } from 'kysely'
import { compress } from 'woff2-encoder'
import { startService, type TestResponse, type TestService } from '../../test/harness.ts'
import { newId } from '../../test/ids.ts'
import { countFiles } from '../assets/factory.ts'
import { customerIdOf } from '../auth/index.ts'
import { makeFont, slowGsub, toWoff } from '../rendering/user-fonts/factory.ts'
import { FONT_LIMITS } from '../rendering/user-fonts/sfnt/refuse.ts'
import { ACCOUNT_FONT_LIMITS, MAX_FONT_BYTES } from './add-font.ts'
import { deleteFont } from './delete-font.ts'
import { fontUses } from './index.ts'

function upload(service: TestService, token: string, body: Uint8Array | FormData, headers = {}): Promise<TestResponse> {
  const type = body instanceof FormData ? {} : { 'content-type': 'font/ttf' }
  return service.request('POST', '/fonts', { token, body, headers: { ...type, ...headers } })
}

const withGsub = (gsub: Buffer) => makeFont({ edit: (tables) => tables.set('GSUB', gsub) })

async function startWithFont(t: TestContext) {
  const service = await startService(t)
  const { accessToken: token, userId } = await service.signUp()
  const bytes = await makeFont({ family: 'Grand Sans', weight: 600 })
  const { body: font } = await upload(service, token, bytes)
  return { service, token, userId, bytes, font }
}

test('a font in several formats and uploads is stored once, and its owner reads, lists and deletes it', async (t) => {
  const service = await startService(t)
  const { accessToken: token, userId } = await service.signUp()
  const bytes = await makeFont({ family: 'Grand Sans', weight: 600, italic: true, fsType: 8 })

  const added = await upload(service, token, bytes)
  assert.equal(added.status, 201, added.text)
  const { id, sha256, createdAt, ...font } = added.body
  assert.match(id, /^fnt_/)
  assert.equal(added.headers.get('location'), `/v1/fonts/${id}`)
  assert.deepEqual(font, {
    customerId: customerIdOf(userId),
    ...{ family: 'Grand Sans', weight: 600, style: 'italic', scripts: ['Latn'] },
    ...{ mediaType: 'font/ttf', bytes: font.bytes, embedding: 'editable' },
  })
  assert.ok(Date.parse(createdAt) > 0)

  const form = new FormData()
  form.append('file', new Blob([new Uint8Array(toWoff(bytes))], { type: 'text/html' }), '../evil.html')
  const again = await upload(service, token, form)
  assert.deepEqual([again.status, again.body], [200, added.body])

  assert.deepEqual((await service.request('GET', `/fonts/${id}`, { token })).body, added.body)
  const content = await service.request('GET', `/fonts/${id}/content`, { token })
  assert.equal(createHash('sha256').update(content.body).digest('hex'), sha256)
  assert.deepEqual(
    ['content-type', 'content-length', 'content-disposition'].map((name) => content.headers.get(name)),
    ['font/ttf', String(font.bytes), `attachment; filename="${id}.ttf"`],
  )
  const headers = { 'if-none-match': `"${sha256}"` }
  assert.equal((await service.request('GET', `/fonts/${id}/content`, { token, headers })).status, 304)

  const { body: second } = await upload(
    service,
    token,
    Buffer.from(await compress(await makeFont({ family: 'Small' }))),
  )
  const first = await service.request('GET', '/fonts/uploads?limit=1', { token })
  const next = await service.request('GET', `/fonts/uploads?limit=1&cursor=${first.body.nextCursor}`, { token })
  assert.deepEqual([first.body.data, next.body], [[second], { data: [added.body], nextCursor: null }])

  assert.equal((await service.request('DELETE', `/fonts/${id}`, { token })).status, 204)
  const gone = await service.request('GET', `/fonts/${id}`, { token })
  assert.deepEqual([gone.status, gone.body.code], [404, 'font_not_found'])
})

test('a font of another account is not found, and an account that uploads the same bytes gets a font of its own', async (t) => {
  const { service, bytes, font } = await startWithFont(t)
  const { accessToken: other } = await service.signUp({ role: 'admin' })
  for (const id of [font.id, newId('font'), 'fnt_nonsense']) {
    for (const [method, path] of [
      ['GET', ''],
      ['GET', '/content'],
      ['DELETE', ''],
    ] as const) {
      const answer = await service.request(method, `/fonts/${id}${path}`, { token: other })
      assert.deepEqual([answer.status, answer.body.code], [404, 'font_not_found'])
    }
  }
  assert.deepEqual((await service.request('GET', '/fonts/uploads', { token: other })).body.data, [])
  const theirs = await upload(service, other, bytes)
  assert.deepEqual([theirs.status, theirs.body.sha256, theirs.body.id === font.id], [201, font.sha256, false])
})

test('a rejected font gets a reason and leaves no files; an API key without the permission cannot upload', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const before = await countFiles(service)
  const refused: [Buffer, number, string][] = [
    [await makeFont({ fsType: 0x0002 }), 422, 'font_embedding_not_allowed'],
    [await makeFont({ fsType: 0x0100 }), 422, 'font_subsetting_not_allowed'],
    [await makeFont({ fsType: 0x0200 }), 422, 'font_outline_embedding_not_allowed'],
    [(await makeFont()).subarray(0, 20_000), 422, 'font_unreadable'],
    [Buffer.from('<!doctype html><title>Not a font</title>'), 422, 'font_type_unsupported'],
    [toWoff(await makeFont(), { declared: 0x7fffffff }), 422, 'font_too_large'],
    [await withGsub(slowGsub({ lookups: 60, context: 3_000, shared: true })), 422, 'font_too_complex'],
    [Buffer.alloc(MAX_FONT_BYTES + 1), 413, 'body_too_large'],
  ]
  for (const [bytes, status, code] of refused) {
    const answer = await upload(service, token, bytes)
    assert.deepEqual([answer.status, answer.body.code], [status, code])
    assert.ok(answer.body.detail.length > 20, answer.body.detail)
  }
  assert.deepEqual(await countFiles(service), before)
  assert.deepEqual((await service.request('GET', '/fonts/uploads', { token })).body.data, [])

  const key = await service.request('POST', '/api/api-keys', { token, body: { name: 'r', permissions: ['read'] } })
  const forbidden = await upload(service, key.body.key, await makeFont())
  assert.deepEqual([forbidden.status, forbidden.body.code], [403, 'insufficient_scope'])
})

test('GET /fonts shows the installed fonts to everyone, and to an account also the fonts that it uploaded', async (t) => {
  const { service, token } = await startWithFont(t)
  const installed = (await service.request('GET', '/fonts')).body.data
  for (const family of installed) assert.deepEqual(Object.keys(family), ['family', 'styles', 'scripts'])
  assert.ok(!installed.some(({ family }: { family: string }) => family === 'Grand Sans'))
  await upload(service, token, await makeFont({ family: 'Inter', weight: 950 }))
  await upload(service, token, await makeFont({ family: 'Grand Sans', weight: 300 }))

  const { data } = (await service.request('GET', '/fonts', { token })).body
  assert.equal(data.length, installed.length + 1)
  const find = (wanted: string, families = data) => families.find(({ family }: { family: string }) => family === wanted)
  assert.deepEqual(find('Grand Sans'), {
    family: 'Grand Sans',
    styles: [300, 600].map((weight) => ({ weight, style: 'normal' })),
    scripts: ['Latn'],
  })
  const inter = find('Inter', installed)
  const added = inter.styles.filter(({ style }: { style: string }) => style === 'normal').length
  assert.deepEqual(find('Inter').styles, inter.styles.toSpliced(added, 0, { weight: 950, style: 'normal' }))

  const key = await service.request('POST', '/api/api-keys', {
    token,
    body: { name: 'orders', permissions: ['orders:read'] },
  })
  assert.deepEqual((await service.request('GET', '/fonts', { token: key.body.key })).body.data, installed)
  const { accessToken: other } = await service.signUp()
  assert.deepEqual((await service.request('GET', '/fonts', { token: other })).body.data, installed)
})

test('a repeated upload with the same Idempotency-Key gets the stored response, and another font is rejected', async (t) => {
  const service = await startService(t)
  const { accessToken: token } = await service.signUp()
  const headers = { 'idempotency-key': 'font-1' }
  const bytes = await makeFont()
  const first = await upload(service, token, bytes, headers)
  const replay = await upload(service, token, bytes, headers)
  assert.deepEqual([replay.status, replay.body], [201, first.body])
  assert.equal(replay.headers.get('idempotent-replayed'), 'true')
  const other = await upload(service, token, await makeFont({ family: 'Other' }), headers)
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_key_reused'])
})

/**
 * Uploads two new fonts at the same time. Both uploads wait for the lock of the account before the service counts
 * either font.
 */
async function uploadTwoAtOnce(service: TestService, token: string, userId: string): Promise<TestResponse[]> {
  const [one, other] = [await makeFont({ family: 'One' }), await makeFont({ family: 'Other' })]
  const held = Promise.withResolvers<void>()
  const holding = service.db.transaction().execute(async (trx) => {
    await sql`select pg_advisory_xact_lock(hashtextextended(${`fonts ${userId}`}, 0))`.execute(trx)
    await held.promise
  })
  const both = [upload(service, token, one), upload(service, token, other)]
  await service.untilBlocked(2)
  held.resolve()
  await holding
  return Promise.all(both)
}

test('an upload is admitted only with room on the disk for the unpacked font', async (t) => {
  const { service, token, bytes } = await startWithFont(t)
  const { storage } = service.services
  const admit = storage.admit
  const covered: number[] = []
  storage.admit = async (size) => {
    const admission = await admit(size)
    const cover = (total: number): Promise<void> => {
      covered.push(total)
      return admission.cover(total)
    }
    return { ...admission, cover }
  }
  assert.equal((await upload(service, token, toWoff(bytes))).status, 200)
  assert.ok(Math.max(...covered) > FONT_LIMITS.unpackedBytes, covered.join())
})

test('an account has no more fonts than the limit, even if the last two are uploaded at once', async (t) => {
  const { service, token, userId, bytes } = await startWithFont(t)
  await sql`
    insert into fonts (id, owner_id, sha256, bytes, media_type, family, weight, style, scripts, embedding, created_at)
    select 'fnt_' || n, ${userId}, lpad(to_hex(n), 64, '0'), 1, 'font/ttf', 'Filler', 400, 'normal', '{}', 'editable', now()
    from generate_series(1, ${ACCOUNT_FONT_LIMITS.fonts - 2}::int) n`.execute(service.db)
  const answers = await uploadTwoAtOnce(service, token, userId)
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409])
  assert.equal(answers.find(({ status }) => status === 409)?.body.code, 'too_many_fonts')
  assert.equal((await upload(service, token, bytes)).status, 200, 'a font that is there is no new one')
  const before = await countFiles(service)
  assert.equal((await upload(service, token, await makeFont({ family: 'Third' }))).status, 409)
  assert.deepEqual(await countFiles(service), before, 'a font that is rejected is not stored')
})

test('the total size of the fonts of an account is limited, even if the last two are uploaded at once', async (t) => {
  const { service, token, userId, font } = await startWithFont(t)
  // The filler font leaves room for one of the two fonts. Each of them is as large as the existing font.
  const filler = ACCOUNT_FONT_LIMITS.bytes - Math.floor(font.bytes * 2.5)
  await sql`
    insert into fonts (id, owner_id, sha256, bytes, media_type, family, weight, style, scripts, embedding, created_at)
    values ('fnt_1', ${userId}, ${'0'.repeat(64)}, ${filler}, 'font/ttf', 'Filler', 400, 'normal', '{}', 'editable', now())
  `.execute(service.db)
  const answers = await uploadTwoAtOnce(service, token, userId)
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409])
  const { code, usedBytes, limitBytes } = answers.find(({ status }) => status === 409)?.body ?? {}
  assert.deepEqual([code, limitBytes], ['too_many_fonts', ACCOUNT_FONT_LIMITS.bytes])
  assert.ok(usedBytes > filler + font.bytes)
  const uploads = (await service.request('GET', '/fonts/uploads', { token })).body.data
  assert.equal(uploads.length, 3)
  const { used } = (await service.request('GET', '/me/storage', { token })).body
  // The filler was inserted directly into the table, so the recorded use does not include it.
  assert.ok(used > 2.5 * font.bytes, 'the font that was stored but not recorded counts too')
})

test('a font that a finalized design uses cannot be deleted until the design releases the font', async (t) => {
  const { service, token, font } = await startWithFont(t)
  const designId = newId('design')
  await service.db.transaction().execute((trx) => fontUses.mark(trx, designId, [font.id]))
  const refused = await service.request('DELETE', `/fonts/${font.id}`, { token })
  assert.deepEqual([refused.status, refused.body.code], [409, 'font_in_use'])
  await service.db.transaction().execute((trx) => fontUses.release(trx, designId))
  assert.equal((await service.request('DELETE', `/fonts/${font.id}`, { token })).status, 204)
})

// Without the lock, the deletion would not see that the finalization is recording its use, and would fail with 500.
test('a deletion waits for a finalization that is recording its use and is then rejected', async (t) => {
  const { service, token, font } = await startWithFont(t)
  const marked = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const marking = service.db.transaction().execute(async (trx) => {
    await fontUses.mark(trx, newId('design'), [font.id])
    marked.resolve()
    await release.promise
  })
  await marked.promise
  const deleting = service.request('DELETE', `/fonts/${font.id}`, { token })
  await service.untilBlocked()
  release.resolve()
  await marking
  const refused = await deleting
  assert.deepEqual([refused.status, refused.body.code], [409, 'font_in_use'])
})

test('a finalization that waits for a deletion reports the missing font', async (t) => {
  const { service, userId, font } = await startWithFont(t)
  const deleted = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const deleting = service.db.transaction().execute(async (trx) => {
    await deleteFont(trx, { id: font.id, ownerId: userId })
    deleted.resolve()
    await release.promise
  })
  await deleted.promise
  const marking = service.db.transaction().execute((trx) => fontUses.mark(trx, newId('design'), [font.id]))
  await service.untilBlocked()
  release.resolve()
  await deleting
  assert.deepEqual(await marking, [font.id])
})

test('fonts are part of the export of an account and are deleted with the account', async (t) => {
  const { service, token, userId, font } = await startWithFont(t)
  const { body } = await service.request('GET', '/me/export', { token })
  assert.deepEqual(body.fonts, [{ ...font, contentUrl: `${service.config.origin}/v1/fonts/${font.id}/content` }])
  await service.db.transaction().execute((trx) => fontUses.mark(trx, newId('design'), [font.id]))
  assert.equal((await service.request('DELETE', '/me', { token })).status, 204)
  const left = await service.db.selectFrom('fonts').select('id').where('owner_id', '=', userId).execute()
  assert.deepEqual(left, [])
})
