import assert from 'node:assert/strict'
import { test } from 'node:test'
import pg from 'pg'
import { hasMetadata } from '../../platform/records/metadata-filter.ts'
import { HELLO, startSignedIn } from '../factory.ts'

type Shop = Awaited<ReturnType<typeof startSignedIn>>

const listOf =
  ({ service, token }: Shop) =>
  (query: Record<string, string>) =>
    service.request('GET', `/designs?${new URLSearchParams(query)}`, { token })

const idsOf = ({ body }: { body: { data: { id: string }[] } }) => body.data.map(({ id }) => id)

test('filters of metadata select the designs that have all of the values', async (t) => {
  const shop = await startSignedIn(t)
  const list = listOf(shop)
  const make = async (metadata: object): Promise<string> => (await shop.create({ metadata })).body.id
  const red = await make({ color: 'red', size: 7, gift: true, 'a.b[c]/ü': 'x' })
  const blue = await make({ color: 'blue', size: '7', gift: 'true', rate: 0.5 })
  const none = await make({})
  const key = `"quoted" \\ \u{1f58d} $.x`
  const odd = await make({ [key]: `"\n\\u0041' \u{1f58d}`, low: -7.5, high: 1e21 })
  const cases: [query: Record<string, string>, expected: string[]][] = [
    [{ 'metadata[color]': 'red' }, [red]],
    [{ 'metadata[color]': 'r' }, []],
    [{ 'metadata[size]': '7' }, [blue, red]],
    [{ 'metadata[size]': '7', 'metadata[color]': 'blue' }, [blue]],
    [{ 'metadata[size]': '7', 'metadata[color]': 'green' }, []],
    [{ 'metadata[gift]': 'true' }, [blue, red]],
    [{ 'metadata[gift]': 'false' }, []],
    [{ 'metadata[rate]': '0.50' }, [blue]],
    [{ 'metadata[a.b[c]/ü]': 'x' }, [red]],
    [{ 'metadata[__proto__]': 'x' }, []],
    [{ 'metadata[color]': 'red', status: 'draft', productId: shop.product.id }, [red]],
    [{ 'metadata[color]': 'red', status: 'finalized' }, []],
    [{ 'metadata[size]': '7', limit: '1' }, [blue]],
    [{ [`metadata[${key}]`]: `"\n\\u0041' \u{1f58d}` }, [odd]],
    [{ [`metadata[${key}]`]: `"\nA' \u{1f58d}` }, []],
    [{ 'metadata[low]': '-7.5', 'metadata[high]': '1e21' }, [odd]],
    [{ 'metadata[low]': '-7.5', 'metadata[high]': '1e22' }, []],
    [{}, [odd, none, blue, red]],
  ]
  for (const [query, expected] of cases) {
    const answer = await list(query)
    assert.deepEqual([answer.status, idsOf(answer)], [200, expected], JSON.stringify(query))
  }
})

// PostgreSQL converts all metadata of a row for each such expression, which may have 25,000 characters.
test('a filter of metadata converts each row once, whatever its values', async (t) => {
  const { service } = await startSignedIn(t)
  const filter = new Map(Array.from({ length: 10 }, (_, n) => [`key ${n}`, String(n)]))
  const { sql } = hasMetadata('d.metadata', filter).compile(service.db)
  assert.equal(sql.split('::jsonb').length - 1, 1, sql)
})

test('a faulty filter of metadata and every other unknown parameter are refused by name', async (t) => {
  const shop = await startSignedIn(t)
  const list = listOf(shop)
  const many = Object.fromEntries(Array.from({ length: 11 }, (_, n) => [`metadata[${n}]`, 'x']))
  const cases: [query: Record<string, string>, parameter: string, code: string][] = [
    [{ 'metadata[]': 'x' }, 'metadata[]', 'wrong_format'],
    [{ [`metadata[${'k'.repeat(65)}]`]: 'x' }, `metadata[${'k'.repeat(65)}]`, 'wrong_format'],
    [{ 'metadata[k]': 'x'.repeat(501) }, 'metadata[k]', 'too_long'],
    [many, 'metadata', 'too_many'],
    [{ metadata: 'x' }, 'metadata', 'unknown_field'],
    [{ 'metadata.k': 'x' }, 'metadata.k', 'unknown_field'],
    [{ 'metadatum[k]': 'x' }, 'metadatum[k]', 'unknown_field'],
    [{ 'metadata[k': 'x' }, 'metadata[k', 'unknown_field'],
    [{ view: 'short' }, 'view', 'unknown_value'],
  ]
  for (const [query, parameter, code] of cases) {
    const { status, body } = await list(query)
    const [error] = body.errors
    assert.deepEqual([status, body.code, error.parameter, error.code], [400, 'validation_failed', parameter, code])
  }
  const twice = await shop.service.request('GET', '/designs?metadata[k]=1&metadata[k]=2', { token: shop.token })
  assert.deepEqual([twice.status, twice.body.errors[0].parameter], [400, 'metadata[k]'])
  const elsewhere = await shop.service.request('GET', '/assets?metadata[k]=1', { token: shop.token })
  assert.deepEqual([elsewhere.status, elsewhere.body.errors[0].parameter], [400, 'metadata[k]'])
})

test('a summary has everything but document, report and receipt, and does not read them', async (t) => {
  const shop = await startSignedIn(t)
  const { body: draft } = await shop.create({ document: HELLO, metadata: { a: 1 } })
  const { service, token } = shop
  const finalized = (await shop.create({ document: HELLO })).body.id
  const answer = await service.request('POST', `/designs/${finalized}/finalize`, { token })
  assert.equal(answer.status, 200)

  const texts: string[] = []
  const original = pg.Client.prototype.query
  t.mock.method(pg.Client.prototype, 'query', function (this: pg.Client, ...parameters: unknown[]) {
    const [first] = parameters
    texts.push(typeof first === 'string' ? first : (first as { text: string }).text)
    return Reflect.apply(original, this, parameters)
  })
  const { body: page } = await listOf(shop)({ view: 'summary' })
  const reads = texts.filter((text) => /from designs/.test(text))
  assert.ok(reads.length > 0)
  for (const text of reads) assert.doesNotMatch(text, /d\.document|d\.preflight|f\.print_areas|valid_until, receipt/)

  const { receipt: _, ...finalization } = answer.body.finalization
  const { document: _1, preflight: _2, ...rest } = { ...answer.body, finalization }
  const { document: _3, preflight: _4, ...draftRest } = draft
  assert.deepEqual(page.data, [rest, draftRest])
  const { body: full } = await listOf(shop)({ view: 'full' })
  assert.deepEqual(full.data, [answer.body, draft])
})

test('a search finds designs of the account by words of their name', async (t) => {
  const shop = await startSignedIn(t)
  const list = listOf(shop)
  const make = async (name: string): Promise<string> => (await shop.create({ name })).body.id
  const poster = await make('Größe A2: Poster für Zoë')
  const card = await make('Visiting card (blue)')
  const stranger = await shop.service.signUp()
  const body = { productId: shop.product.id, variantId: shop.variantId, name: 'Poster of another account' }
  await shop.service.request('POST', '/designs', { token: stranger.accessToken, body })
  const cases: [query: Record<string, string>, expected: string[]][] = [
    [{ q: 'poster' }, [poster]],
    [{ q: 'POST zoe' }, [poster]],
    [{ q: 'grosse' }, [poster]],
    [{ q: 'a2' }, [poster]],
    [{ q: 'card blue' }, [card]],
    [{ q: 'card poster' }, []],
    [{ q: 'oster' }, []],
    [{ q: "blue' | 'poster" }, []],
    [{ q: 'card', status: 'draft', view: 'summary' }, [card]],
    [{ q: 'card', status: 'finalized' }, []],
  ]
  for (const [query, expected] of cases) {
    const answer = await list(query)
    assert.deepEqual([answer.status, idsOf(answer)], [200, expected], JSON.stringify(query))
  }
  const { service, token } = shop
  await service.request('PATCH', `/designs/${card}`, { token, body: { name: 'Poster' } })
  assert.deepEqual(idsOf(await list({ q: 'poster' })), [card, poster])
  for (const q of ['x', '!!', 'p'.repeat(101)]) assert.equal((await list({ q })).status, 400, q)
})
