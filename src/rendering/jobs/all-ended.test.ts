import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { allEnded } from './all-ended.ts'

test('the first error is reported when all work has ended', async () => {
  const log: string[] = []
  const slow = async () => {
    for (let n = 0; n < 3; n += 1) await turn()
    log.push('ended')
  }
  const failing = async () => {
    throw new Error('damaged')
  }
  await assert.rejects(allEnded([failing(), slow()]), /damaged/)
  assert.deepEqual(log, ['ended'])
  assert.deepEqual(await allEnded([Promise.resolve(1), Promise.resolve('two')]), [1, 'two'])
})
