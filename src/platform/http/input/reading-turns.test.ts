import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { test } from 'node:test'
import { createRequestContext, runInRequest } from '../../concurrency/request-context.ts'
import { createReadingTurns, needsTurn } from './reading-turns.ts'

const socketOf = (remoteAddress: string, destroyed = false) => ({ remoteAddress, destroyed }) as Socket
const SHORT = { reads: 1, parts: 500, bytes: 500 }

test('what costs little needs no turn, until it adds up', () => {
  assert.equal(needsTurn({ reads: 1, parts: 7, bytes: 16 * 1024 }), false)
  assert.equal(needsTurn({ reads: 6, parts: 6, bytes: 6 }), true)
  assert.equal(needsTurn(SHORT), true)
  assert.equal(needsTurn({ reads: 1, parts: 1, bytes: 1024 * 1024 }), true)
})

test('networks take turns, so that the connections of one do not delay another', async () => {
  const waitToRead = createReadingTurns()
  const order: string[] = []
  const read = async (address: string, socket = socketOf(address)) => {
    await waitToRead(socket, SHORT)
    order.push(address)
  }
  const attack = ['192.0.2.1', '192.0.2.2', '192.0.2.3', '192.0.2.4'].flatMap((one) => [read(one), read(one)])
  await Promise.all([...attack, read('198.51.100.1')])
  assert.ok(order.indexOf('198.51.100.1') <= 2, order.join(' '))
})

test('each pays for what it has cost with a pause, which a closed connection does not take', async () => {
  const waitToRead = createReadingTurns()
  const begin = performance.now()
  await Promise.all(Array.from({ length: 5 }, () => waitToRead(socketOf('192.0.2.1'), SHORT)))
  // 500 parts cost 2 ms, which may be a fifth of the time.
  assert.ok(performance.now() - begin >= 5 * 9)
  const closed = Array.from({ length: 100_000 }, () =>
    waitToRead(socketOf('192.0.2.1', true), { ...SHORT, parts: 1e6 }),
  )
  await Promise.all(closed)
})

test('the debts of the caller do not stop its connection', async () => {
  const waitToRead = createReadingTurns()
  const context = createRequestContext()
  context.debts = { has: () => true, untilPaid: () => Promise.reject(new Error('in debt')) }
  await runInRequest(context, () => waitToRead(socketOf('192.0.2.1'), SHORT))
})
