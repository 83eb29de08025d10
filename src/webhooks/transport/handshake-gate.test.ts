import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createHandshakeGate, TooManyHandshakes } from './handshake-gate.ts'

const failed = async () => 'failed' as const

test('after three failed handshakes with a server within a minute, none begins for the share', async () => {
  let now = 0
  const gate = createHandshakeGate(() => now)
  for (let count = 0; count < 3; count += 1) await gate.run('a', 'one:443', failed)
  await assert.rejects(gate.run('a', 'one:443', failed), TooManyHandshakes)
  await gate.run('a', 'other:443', async () => 'secured')
  await gate.run('b', 'one:443', async () => 'secured')
  now = 60_000
  await gate.run('a', 'one:443', failed)
})

test('after ten failed handshakes within a minute, none begins for the share, whatever the servers', async () => {
  const gate = createHandshakeGate()
  for (let count = 0; count < 10; count += 1) await gate.run('a', `${count}:443`, failed)
  await assert.rejects(gate.run('a', 'new:443', failed), TooManyHandshakes)
  await gate.run('b', 'new:443', failed)
})

test('servers that are not reached, and successful handshakes, do not count', async () => {
  const gate = createHandshakeGate()
  for (let count = 0; count < 30; count += 1) {
    await gate.run('a', 'one:443', async () => 'unreached')
    await gate.run('a', 'one:443', async () => 'secured')
  }
})

test('two handshakes of a share run at once, and failures end those that wait', async () => {
  const gate = createHandshakeGate()
  const ends: (() => void)[] = []
  const hold = () => new Promise<'failed'>((resolve) => ends.push(() => resolve('failed')))
  const runs = Array.from({ length: 50 }, () => gate.run('a', 'one:443', hold))
  const settled = Promise.allSettled(runs)
  await new Promise(setImmediate)
  assert.equal(ends.length, 2)
  await gate.run('b', 'one:443', async () => 'secured')
  let isOver = false
  settled.then(() => (isOver = true))
  while (!isOver) {
    for (const end of ends.splice(0)) end()
    await new Promise(setImmediate)
  }
  const begun = (await settled).filter(({ status }) => status === 'fulfilled').length
  assert.ok(begun >= 3 && begun < 5, `${begun}`)
})
