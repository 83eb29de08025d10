import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { test } from 'node:test'

test('a process that hangs in its start is replaced, and does not delay the start beyond its time', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'platen-processes-'))
  t.after(() => rm(folder, { recursive: true, force: true }))
  const child = spawn(process.execPath, [join(import.meta.dirname, 'supervisor.fixture.ts')], {
    env: { PATH: process.env['PATH'], FOLDER: folder },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => child.kill('SIGKILL'))
  const lines = new Set<string>()
  for await (const line of createInterface(child.stdout)) {
    lines.add(line)
    if (['started with 1', '2 ended', '2 serves'].every((wanted) => lines.has(wanted))) break
  }
  assert.ok(lines.has('1 serves'))
  assert.equal(lines.has('1 ended'), false)
  const [limit] = [...lines].flatMap((line) => /^heap of 1 up to (\d+) MiB$/.exec(line)?.[1] ?? [])
  // V8 adds the space for young objects.
  assert.ok(Number(limit) >= 768 && Number(limit) < 900, `${limit} MiB`)
})
