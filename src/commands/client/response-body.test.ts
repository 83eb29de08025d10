import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { MAIN, startClientScene } from './client.fixture.ts'
import { startServer } from './server.fixture.ts'

const MIB = 1 << 20

test('platen api reads a file only as fast as its output is read', async (t) => {
  const { env } = await startClientScene(t)
  let sentMib = 0
  const origin = await startServer(t, async (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf' })
    for (; sentMib < 100; sentMib += 1) if (!response.write(Buffer.alloc(MIB))) await once(response, 'drain')
    response.end()
  })
  const child = spawn(process.execPath, [MAIN, 'api', 'get', '/file'], {
    env: { PATH: process.env['PATH'], ...env, PLATEN_URL: origin, PLATEN_API_KEY: 'platen_mine' },
  })
  t.after(() => child.kill('SIGKILL'))
  await once(child.stdout, 'readable')
  let beforeMib: number
  do {
    beforeMib = sentMib
    await delay(500)
  } while (sentMib > beforeMib)
  assert.ok(sentMib < 50, `${sentMib} MiB were read although no byte was taken`)
  let received = 0
  for await (const chunk of child.stdout) received += chunk.length
  assert.equal(received, 100 * MIB)
  assert.equal(child.exitCode ?? (await once(child, 'exit'))[0], 0)
})
