import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { forEachAtOnce } from './for-each.ts'

function source(count: number) {
  const state = { taken: 0, isClosed: false }
  const items = async function* () {
    try {
      for (; state.taken < count; ) {
        state.taken += 1
        yield state.taken
      }
    } finally {
      state.isClosed = true
    }
  }
  return { state, items: items() }
}

test('work runs for each item, at most as often at once as allowed', async () => {
  const { items } = source(20)
  const done: number[] = []
  let [running, most] = [0, 0]
  await forEachAtOnce(items, 3, async (item) => {
    running += 1
    most = Math.max(most, running)
    await turn()
    done.push(item)
    running -= 1
  })
  assert.deepEqual(
    done.toSorted((a, b) => a - b),
    Array.from({ length: 20 }, (_, n) => n + 1),
  )
  assert.equal(most, 3)
})

test('after an error no further work begins, and the running work ends before the rejection', async () => {
  const { state, items } = source(1_000)
  const ended: number[] = []
  const work = async (item: number): Promise<void> => {
    await turn()
    if (item === 2) throw new Error('the second failed')
    await turn()
    await turn()
    ended.push(item)
  }
  await assert.rejects(forEachAtOnce(items, 3, work), /the second failed/)
  assert.ok(ended.includes(1) && ended.includes(3))
  assert.ok(state.taken < 10 && state.isClosed, `${state.taken}`)
})

test('an error of the source is that of the whole', async () => {
  const items = async function* () {
    yield 1
    throw new Error('the list is damaged')
  }
  await assert.rejects(
    forEachAtOnce(items(), 2, async () => undefined),
    /the list is damaged/,
  )
})
