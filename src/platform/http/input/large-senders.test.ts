import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { until } from '../../../../test/lib/until.ts'
import { readRecord } from '../../concurrency/paced-reads.ts'
import { currentRequest, noteSize } from '../../concurrency/request-context.ts'
import { publicRoute } from '../core/guard.ts'
import type { Principal } from '../core/principal.ts'
import { createTestApp, TEST_PRINCIPAL } from '../factory.ts'

test('requests of a customer that sent a large body or used a large record are marked, also later ones', async (t) => {
  const app = createTestApp({
    authenticate: async ({ headers }) => ({ userId: headers['x-user'], role: headers['x-role'] }) as Principal,
  })
  t.after(() => app.close())
  app.post('/marked', { onRequest: publicRoute }, async () => ({ marked: currentRequest()?.sendsLargeBodies }))
  app.post('/read', { onRequest: publicRoute }, async ({ body }) => {
    noteSize((body as { bytes: number }).bytes)
    return { marked: currentRequest()?.sendsLargeBodies }
  })
  const isMarked = async (user: string, bytes: number, role = 'customer') => {
    const headers = { 'x-user': user, 'x-role': role, 'content-type': 'application/json' }
    const payload = JSON.stringify({ text: 'x'.repeat(bytes) })
    return (await app.inject({ method: 'POST', url: '/marked', headers, payload })).json().marked
  }
  assert.equal(await isMarked('usr_1', 250_000), false)
  assert.equal(await isMarked('usr_1', 270_000), true)
  assert.equal(await isMarked('usr_1', 10), true)
  assert.equal(await isMarked('usr_2', 10), false)
  assert.equal(await isMarked('usr_3', 270_000, 'operator'), false)
  assert.equal(await isMarked('usr_3', 10, 'operator'), false)
  const reads = async (bytes: number) => {
    const headers = { 'x-user': 'usr_4', 'x-role': 'customer' }
    return (await app.inject({ method: 'POST', url: '/read', headers, payload: { bytes } })).json().marked
  }
  assert.deepEqual([await reads(250_000), await reads(270_000)], [false, true])
  assert.equal(await isMarked('usr_4', 10), true)
})

test('the large record of a client that has disconnected is not read, also if its response never ends', async (t) => {
  const app = createTestApp({ authenticate: async () => TEST_PRINCIPAL })
  t.after(() => app.close())
  let reads = 0
  const gate = Promise.withResolvers<void>()
  app.get('/record', { onRequest: publicRoute }, async () => {
    noteSize(1_000_000)
    return readRecord(async () => {
      reads += 1
      await gate.promise
      return {}
    })
  })
  const origin = await app.listen({ port: 0, host: '127.0.0.1' })
  const client = new AbortController()
  const first = fetch(`${origin}/record`)
  await until('the first read', () => reads === 1)
  const left = Array.from({ length: 5 }, () => fetch(`${origin}/record`, { signal: client.signal }))
  await delay(50)
  client.abort()
  await Promise.allSettled(left)
  await delay(50)
  gate.resolve()
  assert.equal((await first).status, 200)
  assert.equal((await fetch(`${origin}/record`)).status, 200)
  assert.equal(reads, 2)
})
