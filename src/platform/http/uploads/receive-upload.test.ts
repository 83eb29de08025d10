import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { until } from '../../../../test/lib/until.ts'
import { publicRoute } from '../core/guard.ts'
import { createTestApp } from '../factory.ts'
import { FLOW_LIMITS } from '../flow/limits.ts'
import { acceptUploads, receiveUpload } from './receive-upload.ts'

const BOUNDARY = 'b'
const PART = `--${BOUNDARY}\r\nContent-Disposition: form-data; name="file"; filename="a.png"\r\n\r\n`

/** The beginning of a body in each form, with its type. */
const BEGINNINGS = [
  ['image/png', 'x'.repeat(1_000)],
  [`multipart/form-data; boundary=${BOUNDARY}`, `${PART}${'x'.repeat(1_000)}`],
  [`multipart/form-data; boundary=${BOUNDARY}`, PART.slice(0, 20)],
  [`multipart/form-data; boundary=${BOUNDARY}`, ''],
] as const

// An upload counts until its handler has ended, so one that never ended would take a place for ever.
test('an upload ends soon after its client has left, wherever it was', async (t) => {
  const app = createTestApp({ flow: { ...FLOW_LIMITS, uploads: 1 }, drainMs: 20 })
  t.after(() => app.close())
  let begun = 0
  await app.register(async (scope) => {
    await acceptUploads(scope, { maxBytes: 100_000 })
    scope.post('/uploads', { onRequest: publicRoute, config: { rateLimit: 'upload' } }, async (request) => {
      begun += 1
      const dir = await mkdtemp(join(tmpdir(), 'upload-'))
      try {
        const { bytes } = await receiveUpload(request, dir, { maxBytes: 100_000 })
        return { bytes }
      } finally {
        await rm(dir, { recursive: true })
      }
    })
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  const address = app.server.address()
  assert.ok(address !== null && typeof address === 'object')
  for (const [index, [type, beginning]] of BEGINNINGS.entries()) {
    const socket = connect(address.port, '127.0.0.1')
    await once(socket, 'connect')
    const head = `POST /uploads HTTP/1.1\r\nHost: a\r\nContent-Type: ${type}\r\nContent-Length: 20000\r\n\r\n`
    socket.write(`${head}${beginning}`)
    await until('the upload', () => begun > 2 * index)
    socket.destroy()
    await until('room for another upload', async () => {
      const init = { method: 'POST', body: 'x'.repeat(10), headers: { 'content-type': 'image/png' } }
      return (await fetch(`http://127.0.0.1:${address.port}/uploads`, init)).status === 200
    })
  }
})
