import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TestService } from '../../../test/harness.ts'
import { processorMs } from '../../../test/lib/processor-time.ts'
import { normalizeDocument } from '../../drawing/index.ts'
import { createChecker } from '../../rendering/index.ts'
import { makeSlow } from '../../rendering/user-fonts/factory.ts'
import { documentOf, startSignedIn, textLayer, type Workshop } from '../factory.ts'
import { addFont } from '../fonts/add-font.fixture.ts'

/** A text of the maximum length without a space. Shaping it in the slow font takes many seconds. */
const LONG = 'abcdefghij'.repeat(1000)

/**
 * Starts a service in which one customer has a font that takes long to shape long texts. No process has opened the font
 * yet.
 */
async function startWithSlowFont(t: TestContext, deadlineMs = 1_000) {
  const checker = createChecker({ processes: 3, deadlineMs, log: { warn: () => {} } })
  t.after(() => checker.close())
  await checker.warmUp()
  const shop = await startSignedIn(t, { overrides: { checker } })
  const { service, token } = shop
  const { id: ownerId } = (await service.request('GET', '/me', { token })).body
  const workshop = { deps: service.services.designs, db: service.db, clock: service.clock } as unknown as Workshop
  await addFont(workshop, ownerId, await makeSlow(), { family: 'Slow' })
  return { ...shop, ownerId }
}

const slowly = (text: string) =>
  documentOf([textLayer('Hello', { id: 'first' }), textLayer(text, { fontFamily: 'Slow' })])

/**
 * Requests `/health/live` repeatedly until the returned function is called, which returns the longest time in
 * milliseconds for which this process, which is that of the service, used the processor during a request. The time that
 * passes would depend on other processes.
 */
function watchLiveness({ origin }: TestService): () => Promise<number> {
  let isOver = false
  const watching = (async () => {
    let longestMs = 0
    while (!isOver) {
      const before = process.threadCpuUsage()
      assert.equal((await fetch(`${origin}/health/live`)).status, 200)
      longestMs = Math.max(longestMs, processorMs(process.threadCpuUsage(before)))
      await sleep(20)
    }
    return longestMs
  })()
  return () => {
    isOver = true
    return watching
  }
}

/** On the event loop of the service, the documents below would take five seconds or more. */
const STALL_MS = 2_000

test('while a text takes long to shape, the service responds and others can save; the problem names layer and font', async (t) => {
  const { service, create, token, product, variantId } = await startWithSlowFont(t, 3_000)
  const other = await service.signUp()
  const stop = watchLiveness(service)
  let isOver = false
  const hostile = create({ document: slowly(LONG) }).finally(() => {
    isOver = true
  })
  const body = { productId: product.id, variantId, document: documentOf([textLayer('Hello')]) }
  const saved = await service.request('POST', '/designs', { token: other.accessToken, body })
  assert.deepEqual([saved.status, isOver], [201, false])
  const { status, body: problem } = await hostile
  assert.deepEqual([status, problem.code], [422, 'text_too_complex'])
  const [{ pointer, fontFamily }] = problem.errors
  assert.deepEqual([pointer, fontFamily], ['/document/placements/0/layers/1', 'Slow'])
  assert.ok((await stop()) < STALL_MS)
  assert.deepEqual((await service.request('GET', '/designs', { token })).body.data, [])
  // The next document in this font is checked as usual, because the font is not banned.
  assert.equal((await create({ document: slowly('Hello') })).status, 201)
})

test('a draft whose text takes too long cannot be saved, previewed or finalized, and stays a draft', async (t) => {
  const { service, create, token } = await startWithSlowFont(t)
  const { id } = (await create({ document: slowly('Hello') })).body
  const changed = await service.request('PATCH', `/designs/${id}`, { token, body: { document: slowly(LONG) } })
  assert.deepEqual([changed.status, changed.body.code], [422, 'text_too_complex'])
  // Stores the document as if it had been saved before the limit existed.
  await service.db
    .updateTable('designs')
    .set({ document: JSON.stringify(normalizeDocument(slowly(LONG))) })
    .where('id', '=', id)
    .execute()
  for (const [method, path] of [
    ['GET', 'preview?width=100'],
    ['POST', 'preflight'],
    ['POST', 'finalize'],
    ['POST', 'duplicate'],
  ] as const) {
    const { status, body } = await service.request(method, `/designs/${id}/${path}`, { token })
    assert.deepEqual([path, status, body.code, body.errors?.[0].fontFamily], [path, 422, 'text_too_complex', 'Slow'])
  }
  const { body } = await service.request('GET', `/designs/${id}`, { token })
  assert.deepEqual([body.status, body.revision], ['draft', 1])
})

test('texts of an order that take too long are refused, and the problem names item and layer', async (t) => {
  const { service, create, token } = await startWithSlowFont(t)
  const box = { fontFamily: 'Slow', x: 4, y: 4, width: 77, height: 47 }
  const document = documentOf([textLayer('{{name}}'.repeat(4), box)])
  const { id: designId } = (await create({ document })).body
  assert.equal((await service.request('POST', `/designs/${designId}/finalize`, { token })).status, 200)
  const quote = (...names: string[]) =>
    service.request('POST', '/quotes', {
      token,
      body: { items: names.map((name) => ({ designId, quantity: 1, data: { name } })), shippingAddress: ADDRESS },
    })
  const refused = await quote('Ann', LONG.slice(0, 2000), LONG.slice(1, 2000))
  assert.deepEqual([refused.status, refused.body.code], [422, 'text_too_complex'])
  const [{ pointer, layer, fontFamily }] = refused.body.errors
  assert.match(pointer, /^\/items\/[12]\/data$/)
  assert.deepEqual([layer, fontFamily], ['/placements/0/layers/0', 'Slow'])
  assert.equal((await quote('Ann')).status, 201)
})

const ADDRESS = { name: 'Ada', line1: 'Street 1', postalCode: '10969', city: 'Berlin', country: 'DE' }

// Limit of the processor time that the API process spends on such a document. It needs 15 ms, and laying the text out
// would take eight times as long.
const MOST_CPU_MS = 80

test('the longest texts in installed fonts take almost no time of the API process', async (t) => {
  const { create } = await startSignedIn(t)
  await create({ document: documentOf([textLayer('Hello')]) })
  const layers = ['مرحبابالعالم', 'مكتبةالطباعة'].map((words, i) =>
    textLayer(words.repeat(833), { id: `long${i}`, width: 3 }),
  )
  // Other work of this process, such as a garbage collection, disturbs some of the tries.
  let leastMs = Number.POSITIVE_INFINITY
  for (let tries = 0; tries < 5 && leastMs >= MOST_CPU_MS; tries += 1) {
    const before = process.threadCpuUsage()
    const { status, body: design } = await create({ document: documentOf(layers) })
    const usedMs = processorMs(process.threadCpuUsage(before))
    assert.deepEqual([status, design.preflight.issues[0].code], [201, 'text_overflow'])
    leastMs = Math.min(leastMs, usedMs)
  }
  assert.ok(leastMs < MOST_CPU_MS, `${leastMs} ms`)
})
