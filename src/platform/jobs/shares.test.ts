import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { setImmediate as untilOthersHadTheirTurn } from 'node:timers/promises'
import { flagOf, limitShares } from './shares.ts'

function start() {
  const events = new EventEmitter()
  const look = limitShares(events, 1)
  const emit = (event: string, share?: string) =>
    events.emit(event, { job: { id: share, flags: share === undefined ? null : { [flagOf(share)]: true } } })
  return { look, emit }
}

test('a look begins as soon as the one before has ended, whether it found a job or failed', async () => {
  const { look, emit } = start()
  let begun = 0
  for (let count = 0; count < 4; count += 1) void look().then(() => (begun += 1))
  for (const end of ['job:start', 'worker:getJob:empty', 'worker:getJob:error']) {
    const before = begun
    await untilOthersHadTheirTurn()
    assert.equal(begun, before + 1, `before ${end}`)
    emit(end)
  }
  await untilOthersHadTheirTurn()
  assert.equal(begun, 4)
})

test('while a share has a job, places pass over its jobs, and then take them again', async () => {
  const { look, emit } = start()
  assert.deepEqual(await look(), [])
  emit('job:start', 'one')
  assert.deepEqual(await look(), [flagOf('one')])
  emit('job:start')
  assert.deepEqual(await look(), [flagOf('one')])
  emit('job:start', 'other')
  emit('job:complete', 'one')
  assert.deepEqual(await look(), [flagOf('other')])
})
