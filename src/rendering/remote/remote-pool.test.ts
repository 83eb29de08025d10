import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { connectedChannels } from '../../platform/processes/factory.ts'
import { RenderFailed, RenderQueueFull } from '../errors.ts'
import type { JobHandlers } from '../pool/messages.ts'
import type { Pool, RunOptions } from '../pool/pool.ts'
import { createRemotePool, createStarts, START_JOB, serveRemotePools } from './remote-pool.ts'

type Run = (kind: string, input: unknown, options: RunOptions) => Promise<unknown>

/** Connects a remote pool to a pool that runs jobs with the given function. */
function connectedPool(run: Run) {
  const [api, main] = connectedChannels()
  const starts = createStarts()
  const hasRoom = (owner: string) => owner !== 'usr_full'
  const pool = { run, hasRoom, close: async () => undefined } as unknown as Pool<JobHandlers>
  serveRemotePools({ drawing: pool, checking: pool }, main)
  api.handle(START_JOB, starts.run)
  return {
    remote: createRemotePool<{ draw: (input: object) => Promise<Uint8Array> }>('drawing', api, starts),
    api,
    main,
  }
}

test('a job runs in the other process with its options, and bytes return as bytes', async () => {
  const { remote } = connectedPool(async (kind, input, { owner, share, priority }) => {
    assert.deepEqual(
      { kind, input, owner, share, priority },
      {
        ...{ kind: 'draw', input: { width: 3 }, owner: 'usr_1', share: 'usr_1', priority: 'background' },
      },
    )
    return Buffer.from('picture')
  })
  const bytes = await remote.run('draw', { width: 3 }, { owner: 'usr_1', priority: 'background' })
  assert.equal(Buffer.from(bytes).toString(), 'picture')
})

test('failures keep their cause, and a full queue stays a full queue', async () => {
  const failed = connectedPool(async () => {
    throw new RenderFailed('deadline', 'too slow', 'ENOSPC', 7)
  })
  await assert.rejects(failed.remote.run('draw', {}), (error: RenderFailed) => {
    assert.ok(error instanceof RenderFailed)
    assert.deepEqual([error.cause, error.message, error.systemCode, error.step], ['deadline', 'too slow', 'ENOSPC', 7])
    return true
  })
  const full = connectedPool(async () => {
    throw new RenderQueueFull()
  })
  await assert.rejects(full.remote.run('draw', {}), RenderQueueFull)
})

test('the process that has the pool tells whether an owner has room', async () => {
  const { remote } = connectedPool(async () => undefined)
  assert.deepEqual(await Promise.all(['usr_full', 'usr_1'].map(remote.hasRoom)), [false, true])
})

test('without an answer, an owner has room, because running the job then fails with a reason', async () => {
  const [api] = connectedChannels()
  const remote = createRemotePool('drawing', api, createStarts())
  assert.equal(await remote.hasRoom('usr_full'), true)
})

test('a job that may not start rejects with the error of its caller', async () => {
  let hasRun = false
  const { remote } = connectedPool(async (_kind, _input, { onStart }) => {
    await onStart?.()
    hasRun = true
    return Buffer.from('')
  })
  const cause = new Error('no room')
  await assert.rejects(remote.run('draw', {}, { onStart: () => Promise.reject(cause) }), (error) => error === cause)
  assert.equal(hasRun, false)
  await remote.run('draw', {}, { onStart: async () => undefined })
  assert.equal(hasRun, true)
})

test('the jobs of a process that has ended are dropped', async () => {
  const waiting = Promise.withResolvers<AbortSignal>()
  const { remote, api, main } = connectedPool(async (_kind, _input, { signal }) => {
    assert.ok(signal)
    waiting.resolve(signal)
    await once(signal, 'abort')
  })
  const job = remote.run('draw', {})
  job.catch(() => undefined)
  const signal = await waiting.promise
  main.end()
  assert.equal(signal.aborted, true)
  api.end()
  await assert.rejects(job, { cause: 'unavailable' })
})
