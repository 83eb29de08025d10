import assert from 'node:assert/strict'
import { Readable, Transform } from 'node:stream'
import { test } from 'node:test'
import { publicRoute } from '../core/guard.ts'
import { createTestApp, TEST_PRINCIPAL } from '../factory.ts'
import { FLOW_LIMITS } from './limits.ts'

test('anonymous callers read files and large pages at their pace, and small ones at once', async (t) => {
  const paced: number[] = []
  const paceDownload = (file: Readable): Readable => {
    let bytes = 0
    const count = new Transform({
      transform: (part: Buffer, _encoding, done) => {
        bytes += part.length
        done(null, part)
      },
      flush: (done) => {
        paced.push(bytes)
        done()
      },
    })
    return file.pipe(count)
  }
  const app = createTestApp({
    flow: FLOW_LIMITS,
    paceDownload,
    authenticate: ({ headers }) => (headers.authorization === undefined ? undefined : TEST_PRINCIPAL),
  })
  t.after(() => app.close())
  app.get('/file', { onRequest: publicRoute }, async (_request, reply) =>
    reply.send(Readable.from([Buffer.alloc(100_000)])),
  )
  app.get('/page', { onRequest: publicRoute }, async (_request, reply) => reply.send(Buffer.alloc(200_000)))
  app.get('/small', { onRequest: publicRoute }, async (_request, reply) => reply.send(Buffer.alloc(1_000)))
  for (const authorization of [undefined, 'Bearer x']) {
    for (const url of ['/file', '/page', '/small']) {
      const headers = authorization === undefined ? {} : { authorization }
      assert.equal((await app.inject({ url, headers })).statusCode, 200)
    }
  }
  assert.deepEqual(paced, [100_000, 200_000])
})
