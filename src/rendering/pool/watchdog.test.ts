import assert from 'node:assert/strict'
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'

type Command = 'begin' | 'beginAtEnd' | 'end' | 'threads' | 'untilEnded' | 'hoard'

/** Starts a process with a watchdog whose thread ends after 300 ms without a job. */
function start(t: TestContext) {
  const child = fork(new URL('./watchdog.fixture.ts', import.meta.url), {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
  })
  t.after(() => child.kill('SIGKILL'))
  const notes = createInterface({ input: child.stdio[4] as Readable })[Symbol.asyncIterator]()
  return {
    tell: (command: Command) => void child.send(command),
    ask: async (command: Command) => {
      child.send(command)
      return (await once(child, 'message'))[0]
    },
    nextNote: async () => (await notes.next()).value,
    exited: once(child, 'exit'),
  }
}

test('the thread of the watchdog starts with a job, ends without one, and another one watches the next job', async (t) => {
  const { tell, ask, nextNote, exited } = start(t)
  assert.equal(await ask('threads'), 0)
  for (const job of [1, 2]) {
    tell('begin')
    assert.equal(await nextNote(), `step ${job} 1`)
    assert.equal(await ask('threads'), 1)
    tell('end')
    assert.equal(await ask('untilEnded'), 0)
  }
  tell('begin')
  tell('hoard')
  let note = await nextNote()
  while (note === 'step 3 1' || note?.startsWith('cpu 3 ')) note = await nextNote()
  assert.equal(note, 'killed memory')
  assert.equal((await exited)[1], 'SIGKILL')
})

test('a job that begins while the thread ends is watched', async (t) => {
  const { tell, ask, nextNote } = start(t)
  tell('begin')
  assert.equal(await nextNote(), 'step 1 1')
  tell('end')
  // The thread now waits for a job, and its wait ends after the job has begun.
  await sleep(100)
  tell('beginAtEnd')
  assert.equal(await nextNote(), 'step 2 1')
  assert.equal(await ask('threads'), 1)
})
