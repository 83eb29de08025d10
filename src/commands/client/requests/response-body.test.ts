import assert from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { constants } from 'node:fs'
import { open, readdir, readFile, readlink, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { bundleService } from '../../../../scripts/lib/service-process.ts'
import { temporaryDir } from '../../../../test/harness.ts'
import { startClientScene } from '../client.fixture.ts'
import { startRecorder, startServer } from '../server.fixture.ts'

const MIB = 1 << 20

test('platen api reads a file only as fast as its output is read', async (t) => {
  const { env } = await startClientScene(t)
  let sentMib = 0
  const origin = await startServer(t, async (_request, response) => {
    response.writeHead(200, { 'content-type': 'application/pdf' })
    for (; sentMib < 100; sentMib += 1) if (!response.write(Buffer.alloc(MIB))) await once(response, 'drain')
    response.end()
  })
  const child = spawn(process.execPath, [bundleService(), 'api', 'get', '/file'], {
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

test('--output writes into what is no regular file, and replaces regular files', async (t) => {
  const { run } = await startClientScene(t)
  const { origin } = await startRecorder(t)
  const save = (file: string) => {
    return run(['api', 'get', '/x', '--output', file], { PLATEN_URL: origin, PLATEN_API_KEY: 'platen_mine' })
  }
  const folder = await temporaryDir(t)
  const [fifo, file, link] = ['fifo', 'file', 'link'].map((name) => join(folder, name)) as [string, string, string]
  execFileSync('mkfifo', [fifo])
  // Opening a named pipe for reading only would wait for a writer.
  const reader = await open(fifo, constants.O_RDWR | constants.O_NONBLOCK)
  t.after(() => reader.close())
  assert.equal((await save(fifo)).code, 0)
  assert.ok((await stat(fifo)).isFIFO())
  assert.equal((await reader.read(Buffer.alloc(10))).bytesRead, 2)

  await writeFile(file, 'before')
  await symlink(file, link)
  assert.equal((await save(link)).code, 0)
  assert.deepEqual([await readlink(link), await readFile(file, 'utf8')], [file, '{}'])
  const before = await open(file)
  t.after(() => before.close())
  await writeFile(file, 'before')
  assert.equal((await save(file)).code, 0)
  assert.deepEqual([await readFile(file, 'utf8'), await before.readFile('utf8')], ['{}', 'before'])

  const refused = await save(folder)
  assert.deepEqual(
    [refused.code, refused.err.startsWith(`platen: Could not save the response to ${folder}: `)],
    [1, true],
  )
  assert.deepEqual((await readdir(folder)).sort(), ['fifo', 'file', 'link'])
})
