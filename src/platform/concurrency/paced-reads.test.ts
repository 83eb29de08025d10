import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { newGuestId } from '../fair-share.ts'
import { readPaced } from './paced-reads.ts'

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
