import assert from 'node:assert/strict'
import { test } from 'node:test'
import { currentRequest, noteSize } from '../../concurrency/request-context.ts'
import { publicRoute } from '../core/guard.ts'
import type { Principal } from '../core/principal.ts'
import { createTestApp } from '../factory.ts'

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
  assert.equal(await isMarked('usr_1', 60_000), false)
  assert.equal(await isMarked('usr_1', 70_000), true)
  assert.equal(await isMarked('usr_1', 10), true)
  assert.equal(await isMarked('usr_2', 10), false)
  assert.equal(await isMarked('usr_3', 70_000, 'operator'), false)
  assert.equal(await isMarked('usr_3', 10, 'operator'), false)
  const reads = async (bytes: number) => {
    const headers = { 'x-user': 'usr_4', 'x-role': 'customer' }
    return (await app.inject({ method: 'POST', url: '/read', headers, payload: { bytes } })).json().marked
  }
  assert.deepEqual([await reads(60_000), await reads(70_000)], [false, true])
  assert.equal(await isMarked('usr_4', 10), true)
})
