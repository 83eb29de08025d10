import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, IncomingMessage } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { test } from 'node:test'
import { passOverBody } from './stop-parser.ts'

test('the rest of a body is passed over, and the next connection gets its body', async (t) => {
  let parts = 0
  let isFirst = true
  class Counting extends IncomingMessage {
    private count = 0
    override push(part: Buffer | null): boolean {
      if (part !== null) this.count += 1
      parts = this.count
      if (isFirst && this.count === 2) {
        passOverBody(this.socket)
        this.socket.destroySoon()
      }
      return super.push(part)
    }
  }
  const server = createServer({ IncomingMessage: Counting }, (request, response) => {
    request.resume().on('end', () => response.end())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  for (const expected of [2, 50]) {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    socket.on('error', () => undefined)
    const head = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n'
    socket.write(`${head}${'1\r\na\r\n'.repeat(50)}0\r\n\r\n`)
    socket.resume()
    await once(socket, 'close')
    assert.equal(parts, expected)
    isFirst = false
  }
})
