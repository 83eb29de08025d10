import assert from 'node:assert/strict'
import fs, { type FileHandle } from 'node:fs/promises'
import { test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createRequestContext, type RequestContext, runInRequest } from '../../concurrency/request-context.ts'
import { temporaryDir, writeTo } from '../factory.ts'
import { openFileStore } from './file-store.ts'
import { createFlushTurns } from './flush-turns.ts'

/** Starts flushes that end one after another, and returns the order in which they began. */
async function flushAll(callers: readonly Partial<RequestContext>[]): Promise<{ order: string[]; most: number }> {
  const turns = createFlushTurns()
  const order: string[] = []
  let running = 0
  let most = 0
  const flush = (account: string | undefined) => async () => {
    order.push(account ?? 'service')
    running += 1
    most = Math.max(most, running)
    await setImmediate()
    running -= 1
  }
  const started = callers.map((caller) =>
    runInRequest({ ...createRequestContext(), ...caller }, () => turns.run(flush(caller.account))),
  )
  await Promise.all(started)
  return { order, most }
}

const customer = (account: string, share?: string) => ({ account, share, isCustomer: true })

test('one flush runs at a time, and customers take turns however many files one of them has', async () => {
  const many = Array.from({ length: 6 }, () => customer('usr_many'))
  const { order, most } = await flushAll([...many, customer('usr_single')])
  assert.equal(most, 1)
  assert.ok(order.indexOf('usr_single') <= 2, order.join(' '))
})

test('the accounts of a network of visitors take the turns of one customer', async () => {
  const visitors = Array.from({ length: 6 }, (_, i) => customer(`usr_${i}`, `guests abc00${i}`))
  const { order } = await flushAll([...visitors, customer('usr_single'), customer('usr_far', 'guests xyz000')])
  assert.ok(order.indexOf('usr_single') <= 2, order.join(' '))
  assert.ok(order.indexOf('usr_far') <= 3, order.join(' '))
})

test('flushes of jobs take turns with those of customers', async () => {
  const many = Array.from({ length: 6 }, () => customer('usr_many'))
  const { order } = await flushAll([...many, {}])
  assert.ok(order.indexOf('service') <= 2, order.join(' '))
})

test('a flush that fails ends its turn', async () => {
  const turns = createFlushTurns()
  await assert.rejects(
    turns.run(async () => {
      throw new Error('the disk is broken')
    }),
    /the disk is broken/,
  )
  assert.equal(await turns.run(async () => 'flushed'), 'flushed')
})

test('a store flushes new files in turns', async (t) => {
  const store = await openFileStore(await temporaryDir(t))
  const probe = await fs.open('/dev/null')
  const handle = Object.getPrototypeOf(probe) as FileHandle
  await probe.close()
  let running = 0
  let most = 0
  const { datasync } = handle
  t.mock.method(handle, 'datasync', async function flush(this: FileHandle) {
    running += 1
    most = Math.max(most, running)
    await datasync.call(this)
    running -= 1
  })
  const files = await Promise.all(Array.from({ length: 4 }, (_, i) => writeTo(store, `artwork ${i}`)))
  await Promise.all(files.map((file) => store.put(file)))
  assert.equal(most, 1)
})
