import assert from 'node:assert/strict'
import { once } from 'node:events'
import { test } from 'node:test'
import { connectedChannels } from './factory.ts'

test('a call returns the result of the other process, or rejects with its error', async () => {
  const [here, there] = connectedChannels()
  there.handle('double', (value: number) => value * 2)
  there.handle('fail', () => {
    throw new Error('no room')
  })
  assert.equal(await here.call('double', 21), 42)
  await assert.rejects(here.call('fail'), { name: 'ChannelError', message: 'no room' })
  await assert.rejects(here.call('unknown'), /no process handles unknown/)
})

test('when the other process has ended, calls reject and its work is aborted', async () => {
  const [here, there] = connectedChannels()
  const started = Promise.withResolvers<AbortSignal>()
  there.handle('wait', (_input: undefined, signal: AbortSignal) => {
    started.resolve(signal)
    return once(signal, 'abort')
  })
  const call = here.call('wait')
  call.catch(() => undefined)
  const signal = await started.promise
  there.end()
  assert.equal(signal.aborted, true)
  here.end()
  await assert.rejects(call, { name: 'ChannelError' })
  await assert.rejects(here.call('wait'), { name: 'ChannelError' })
})

test('aborting a call aborts the work of the other process', async () => {
  const [here, there] = connectedChannels()
  const started = Promise.withResolvers<void>()
  there.handle('wait', async (_input: undefined, signal: AbortSignal) => {
    started.resolve()
    await once(signal, 'abort')
    return 'aborted'
  })
  const controller = new AbortController()
  const call = here.call('wait', undefined, controller.signal)
  await started.promise
  controller.abort()
  assert.equal(await call, 'aborted')
})
