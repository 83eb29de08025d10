import assert from 'node:assert/strict'
import { Agent, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setImmediate as untilNextTurn } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { until } from '../../../../test/lib/until.ts'
import { publicRoute } from '../core/guard.ts'
import { createTestApp, TEST_PRINCIPAL } from '../factory.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

// A body of 300 KB can take 7 MB when it is parsed, and a client may leave a thousand connections idle.
test('an idle connection keeps neither the request nor its body', async (t) => {
  const app = createTestApp({ authenticate: async () => TEST_PRINCIPAL })
  const kept: WeakRef<object>[] = []
  app.post('/bodies', { onRequest: publicRoute }, async (received) => {
    kept.push(new WeakRef(received), new WeakRef(received.body as object))
    return {}
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const agent = new Agent({ keepAlive: true })
  t.after(async () => {
    agent.destroy()
    await app.close()
  })
  const { port } = app.server.address() as AddressInfo
  const send = () =>
    new Promise<void>((resolve, reject) => {
      const options = { agent, port, host: '127.0.0.1', path: '/bodies', method: 'POST' }
      const sent = request({ ...options, headers: { 'content-type': 'application/json' } }, (response) => {
        response.resume().once('end', resolve)
      })
      sent.once('error', reject).end(JSON.stringify({ values: new Array(5_000).fill({}) }))
    })
  await Promise.all([send(), send(), send()])
  assert.equal(kept.length, 6)
  await until('the garbage of all requests to be collected', async () => {
    await untilNextTurn()
    collectGarbage()
    return kept.every((reference) => reference.deref() === undefined)
  })
  const open = Object.values(agent.freeSockets).flat().length
  assert.equal(open, 3, 'the connections are still open')
})
