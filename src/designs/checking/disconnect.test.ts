import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { ADDRESS } from '../../orders/factory.ts'
import type { DocumentChecks, JobOptions } from '../../rendering/index.ts'
import { HELLO, startSignedIn } from '../factory.ts'

test('a disconnected client’s checks leave the queue, for every operation', async (t) => {
  const { service, token, create, product, variantId } = await startSignedIn(t)
  const draft = (await create({ document: HELLO })).body.id
  const finalized = (await create({ document: HELLO })).body.id
  await service.request('POST', `/designs/${finalized}/finalize`, { token })
  const items = [{ designId: finalized, quantity: 1, data: { name: 'Ann' } }]

  let asked = Promise.withResolvers<AbortSignal | undefined>()
  const { checker } = service.services
  const waiting = async (options: JobOptions | undefined): Promise<never> => {
    asked.resolve(options?.signal)
    if (options?.signal !== undefined) await once(options.signal, 'abort')
    throw new Error('dropped')
  }
  const held: DocumentChecks = {
    preflight: (_job, options) => waiting(options),
    checkDashes: (_job, options) => waiting(options),
    contentHash: (_job, options) => waiting(options),
    checkValues: (_job, options) => waiting(options),
  }
  Object.assign(checker, held)

  const requests: [method: string, path: string, body?: object][] = [
    ['POST', '/designs', { productId: product.id, variantId, document: HELLO }],
    ['PATCH', `/designs/${draft}`, { document: HELLO }],
    ['POST', `/designs/${draft}/duplicate`],
    ['POST', `/designs/${draft}/preflight`],
    ['POST', `/designs/${draft}/finalize`],
    ['GET', `/designs/${draft}/preview`],
    ['POST', '/quotes', { items, shippingAddress: ADDRESS }],
    ['POST', '/orders', { items, shippingAddress: ADDRESS }],
  ]
  for (const [method, path, body] of requests) {
    asked = Promise.withResolvers()
    const client = new AbortController()
    const answer = fetch(service.baseUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
      signal: client.signal,
    })
    const signal = await Promise.race([asked.promise, answer.then((early) => assert.fail(`${path}: ${early.status}`))])
    assert.ok(signal, `${method} ${path} does not tell when its client is gone`)
    const dropped = once(signal, 'abort')
    client.abort()
    await assert.rejects(answer)
    await dropped
  }
})
