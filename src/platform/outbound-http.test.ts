import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { fetchOutbound, ResponseTooLong } from './outbound-http.ts'

const LIMITS = { timeoutMs: 5_000, maxBytes: 1_000 }

async function startServer(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

test('a body of the maximum length is read, and a longer one is rejected', async (t) => {
  const url = await startServer(t, ({ url: path }, response) => response.end('x'.repeat(Number(path?.slice(1)))))
  assert.equal((await (await fetchOutbound(`${url}/1000`, LIMITS)).read()).length, 1_000)
  await assert.rejects((await fetchOutbound(`${url}/1001`, LIMITS)).read(), ResponseTooLong)
})

test('the time limit includes the body', async (t) => {
  const url = await startServer(t, (_request, response) => response.write('the first part'))
  const response = await fetchOutbound(url, { ...LIMITS, timeoutMs: 3_000 })
  await assert.rejects(response.read(), { name: 'TimeoutError' })
})

test('a redirect is rejected', async (t) => {
  let requests = 0
  const url = await startServer(t, (_request, response) => {
    requests += 1
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  await assert.rejects(fetchOutbound(url, LIMITS))
  assert.equal(requests, 1)
})
