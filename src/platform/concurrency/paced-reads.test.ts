import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { newGuestId } from '../fair-share.ts'
import { ClientGone } from './client-gone.ts'
import { readPaced, readRecord } from './paced-reads.ts'
import { createRequestContext, noteSize, runInRequest } from './request-context.ts'

const guest = (client: number): string => newGuestId('usr', Buffer.from([1, 2, 3, client]))

// A client may have any number of accounts.
test('the visitors of one network read two pages at a time, and do not delay others', async () => {
  const gate = Promise.withResolvers<void>()
  const begun: string[] = []
  const read = (account: string, share?: string) =>
    readPaced({ account, share }, async () => {
      begun.push(account)
      await gate.promise
    })
  const guests = [guest(1), guest(2), guest(3)]
  const newcomer = 'usr_newcomer'
  const reads = [
    ...guests.map((account) => read(account)),
    read(newcomer, `guests ${guest(4).slice(-6)}`),
    read('usr_ada'),
    read('usr_bo'),
  ]
  await delay(20)
  const first = begun.toSorted()
  gate.resolve()
  await Promise.all(reads)
  assert.deepEqual(first, [guests[0], guests[1], 'usr_ada', 'usr_bo'].toSorted())
  assert.equal(begun.length, 6)
})

test('a failed read rejects, and the next one runs', async () => {
  const fail = () => Promise.reject(new Error('no database'))
  await assert.rejects(readPaced({ account: 'usr_ada' }, fail), /no database/)
  assert.equal(await readPaced({ account: 'usr_ada' }, async () => 1), 1)
})

test('customers who use large records read them one after another, with pauses, and others at once', async () => {
  let running = 0
  let most = 0
  const read = (account: string, sendsLargeBodies: boolean) =>
    runInRequest({ ...createRequestContext(), account, isCustomer: true, sendsLargeBodies }, () =>
      readRecord(async () => {
        running += 1
        if (sendsLargeBodies) most = Math.max(most, running)
        await delay(30)
        running -= 1
        // Its pause takes 30 ms.
        if (sendsLargeBodies) noteSize(512 * 1024)
        return account
      }),
    )
  const begin = performance.now()
  const large = ['usr_ada', 'usr_ada', 'usr_bo', 'usr_cy'].map((account) => read(account, true))
  assert.deepEqual(await Promise.all(large), ['usr_ada', 'usr_ada', 'usr_bo', 'usr_cy'])
  assert.equal(most, 1)
  // Four reads, and three pauses between them.
  assert.ok(performance.now() - begin >= 7 * 30 - 10)
  await Promise.all(Array.from({ length: 20 }, () => read('usr_di', false)))
  assert.ok(performance.now() - begin < 20 * 30)
})

test('a record that cannot be read rejects, and one of a client that has left is not read', async () => {
  const context = { ...createRequestContext(), account: 'usr_ada', isCustomer: true, sendsLargeBodies: true }
  const fail = () => Promise.reject(new Error('no database'))
  await assert.rejects(
    runInRequest(context, () => readRecord(fail)),
    /no database/,
  )
  let hasLeft = false
  const reading = [context, { ...context, hasLeft: () => hasLeft }].map((one) =>
    runInRequest(one, () => readRecord(async () => 1)),
  )
  hasLeft = true
  assert.equal(await reading[0], 1)
  await assert.rejects(reading[1] as Promise<number>, ClientGone)
})

test('a read that waits long ends the turn, so that the records of others are read', async () => {
  const context = { ...createRequestContext(), isCustomer: true, sendsLargeBodies: true }
  const gate = Promise.withResolvers<number>()
  const waiting = runInRequest({ ...context, account: 'usr_ada' }, () => readRecord(() => gate.promise))
  assert.equal(await runInRequest({ ...context, account: 'usr_bo' }, () => readRecord(async () => 2)), 2)
  gate.resolve(1)
  assert.equal(await waiting, 1)
})
