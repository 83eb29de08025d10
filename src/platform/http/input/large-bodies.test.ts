import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { Type } from 'typebox'
import { createRequestContext, runInRequest } from '../../concurrency/request-context.ts'
import { publicRoute } from '../core/guard.ts'
import { createTestApp, TEST_PRINCIPAL } from '../factory.ts'
import { createLargeBodyQueue, LARGE_BODY_BYTES } from './large-bodies.ts'

const Layer = Type.Object(Object.fromEntries([...'abcdefgh'].map((name) => [name, Type.Number()])), {
  additionalProperties: false,
})
const Body = Type.Object({ layers: Type.Array(Layer, { maxItems: 200 }) }, { additionalProperties: false })

/** Starts an HTTP app with one route that accepts layers. Returns its origin. */
async function startApp(t: TestContext): Promise<URL> {
  const app = createTestApp({ drainMs: 20, authenticate: async () => ({ ...TEST_PRINCIPAL, role: 'operator' }) })
  app.post('/layers', { onRequest: publicRoute, schema: { body: Body } }, async () => ({}))
  app.get('/live', { onRequest: publicRoute }, async () => ({}))
  await app.listen({ host: '127.0.0.1', port: 0 })
  t.after(() => app.close())
  return new URL(app.listeningOrigin)
}

const post = (origin: URL, body: string) =>
  fetch(new URL('/layers', origin), { method: 'POST', headers: { 'content-type': 'application/json' }, body })

test('for a large body only the first fault is reported, and for a small body all faults', async (t) => {
  const origin = await startApp(t)
  const faultsOf = async (layers: number) => {
    const response = await post(origin, JSON.stringify({ layers: new Array(layers).fill({ x: 1 }) }))
    assert.equal(response.status, 400)
    return ((await response.json()) as { errors: { code: string; pointer: string }[] }).errors
  }
  assert.equal((await faultsOf(2)).length, 18)
  assert.equal((await faultsOf(45)).length, 50)
  assert.equal((await faultsOf(60)).length, 1)
  const [only, ...others] = await faultsOf(45_000)
  assert.deepEqual([only?.code, only?.pointer, others], ['too_many', '/layers', []])
})

test('a body with faults in all of 90,000 values takes less than twice the processor time of a body with one fault', async (t) => {
  const origin = await startApp(t)
  const time = async (layers: object[]) => {
    const body = JSON.stringify({ layers })
    const tries = []
    for (let i = 0; i < 5; i += 1) {
      const before = process.threadCpuUsage()
      assert.equal((await post(origin, body)).status, 400)
      const { user, system } = process.threadCpuUsage(before)
      tries.push(user + system)
    }
    return Math.min(...tries)
  }
  // A body with as many values and bytes, but only one fault.
  const parsed = await time([{ a: 1 }, ...new Array(45_000).fill({ a: 1 })])
  const faulty = await time(new Array(45_001).fill({ x: 1 }))
  assert.ok(faulty < 2 * parsed, `${faulty} and ${parsed} µs`)
})

test('concurrent large bodies are parsed in rotation of accounts, and other requests are handled in between', async () => {
  const untilMayParse = createLargeBodyQueue()
  const log: string[] = []
  const wait = async (owner: string) => {
    await untilMayParse(owner, new Socket(), LARGE_BODY_BYTES)
    log.push(owner)
    const until = performance.now() + 30
    while (performance.now() < until);
  }
  const others = setInterval(() => log.push('-'), 1)
  const begin = performance.now()
  await Promise.all(['a', 'a', 'a', 'b'].map(wait))
  clearInterval(others)
  assert.deepEqual(
    log.filter((one) => one !== '-'),
    ['a', 'a', 'b', 'a'],
  )
  // There are three pauses, each as long as a body takes. Timers run in the pauses.
  assert.ok(performance.now() - begin >= 4 * 30 + 3 * 30)
  assert.match(log.join(''), /^a-+a-+b-+a$/)
})

test('the queue drops the body of a client that disconnects', async () => {
  const untilMayParse = createLargeBodyQueue()
  const gone = new Socket()
  const first = untilMayParse('a', new Socket(), LARGE_BODY_BYTES)
  const waiting = untilMayParse('a', gone, LARGE_BODY_BYTES)
  const refused = assert.rejects(waiting, /disconnected/)
  await first
  gone.destroy()
  await refused
  await untilMayParse('a', new Socket(), LARGE_BODY_BYTES)
})

test('bodies that are refused before their turn leave no listeners at their connection', async () => {
  const queue = createLargeBodyQueue()
  const socket = new Socket()
  const debts = { has: () => true, untilPaid: () => Promise.reject(new Error('refused')) }
  const send = () =>
    runInRequest({ ...createRequestContext(), debts }, () => queue('network account', socket, LARGE_BODY_BYTES))
  for (let n = 0; n < 12; n += 1) await assert.rejects(send, /refused/)
  assert.ok(socket.listenerCount('close') <= 1, String(socket.listenerCount('close')))
})

test('small bodies do not wait for large ones', async (t) => {
  const origin = await startApp(t)
  const large = JSON.stringify({ layers: 'x'.repeat(LARGE_BODY_BYTES) })
  let answered = 0
  const all = Array.from({ length: 40 }, () =>
    post(origin, large).then(() => {
      answered += 1
    }),
  )
  await delay(5)
  assert.equal((await post(origin, '{"layers":[]}')).status, 200)
  assert.ok(answered < 40)
  await Promise.all(all)
})

test('a body of another network waits for one body of a network that sends many, not for all of them', async () => {
  const untilMayParse = createLargeBodyQueue()
  const order: string[] = []
  const wait = async (owner: string) => {
    await untilMayParse(owner, new Socket(), LARGE_BODY_BYTES)
    order.push(owner)
  }
  const flood = Array.from({ length: 50 }, (_, n) => wait(`203.0.113.0/24 203.0.113.${n}`))
  await Promise.all([...flood, wait('198.51.100.0/24 usr_other')])
  assert.ok(order.indexOf('198.51.100.0/24 usr_other') <= 2, String(order.indexOf('198.51.100.0/24 usr_other')))
})

test('an ordinary design does not wait for very large bodies of other networks', async () => {
  const untilMayParse = createLargeBodyQueue()
  const order: string[] = []
  const wait = async (owner: string, bytes: number) => {
    await untilMayParse(owner, new Socket(), bytes)
    order.push(owner)
  }
  const flood = Array.from({ length: 30 }, (_, n) => wait(`203.0.${n}.0/24 usr_${n}`, 800_000))
  await Promise.all([...flood, wait('198.51.100.0/24 usr_other', 12_000)])
  assert.ok(order.indexOf('198.51.100.0/24 usr_other') <= 1, String(order.indexOf('198.51.100.0/24 usr_other')))
})
