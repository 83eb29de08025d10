import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createKeyedSemaphore, createSemaphore, SemaphoreTimeout } from './semaphore.ts'

/** Work that ends when it is told to. */
function startWork() {
  const { promise, resolve } = Promise.withResolvers<void>()
  return { work: () => promise, end: resolve }
}

test('work beyond the permits waits, and beyond the limit of waiting it is rejected', async () => {
  const semaphore = createSemaphore(1, { max: 1, whenFull: () => new Error('full') })
  const [first, second] = [startWork(), startWork()]
  const order: string[] = []
  const ended = [
    semaphore.run(first.work).then(() => order.push('first')),
    semaphore.run(second.work).then(() => order.push('second')),
  ]
  await assert.rejects(
    semaphore.run(async () => undefined),
    /full/,
  )
  second.end()
  first.end()
  await Promise.all(ended)
  assert.deepEqual(order, ['first', 'second'])
})

test('a permit that is waited for too long is not granted later', async () => {
  const semaphore = createSemaphore(1)
  const release = await semaphore.acquire(1_000)
  await assert.rejects(semaphore.acquire(1), SemaphoreTimeout)
  release()
  release()
  const again = await semaphore.acquire(1_000)
  await assert.rejects(semaphore.acquire(1), SemaphoreTimeout)
  again()
})

test('work that fails returns its permit', async () => {
  const semaphore = createKeyedSemaphore({ max: 10, whenFull: () => new Error('full') })
  await assert.rejects(
    semaphore.run('a', 1, async () => {
      throw new Error('failed')
    }),
    /failed/,
  )
  assert.equal(await semaphore.run('a', 1, async () => 'next'), 'next')
})

test('keys do not wait for each other', async () => {
  const semaphore = createKeyedSemaphore({ max: 10, whenFull: () => new Error('full') })
  const held = startWork()
  const holding = semaphore.run('a', 1, held.work)
  assert.equal(await semaphore.run('b', 1, async () => 'done'), 'done')
  held.end()
  await holding
})
