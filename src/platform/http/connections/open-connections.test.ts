import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { createOpenConnections } from './open-connections.ts'

/** @returns the open connections, and a function that opens one, which serves a request if it is `busy` */
function createFixture() {
  const busy = new Set<Socket>()
  const open = createOpenConnections((socket) => !busy.has(socket))
  const connect = (key: string, isBusy = false): Socket => {
    const socket = new Socket()
    if (isBusy) busy.add(socket)
    open.add(key, socket)
    return socket
  }
  return { open, connect }
}

/** The key of the `n`th network of /64 in a network of /48. */
const flooding = (n: number): string => `2001:db8:a:${n.toString(16)}::/64`

test('a network with one connection for each of its IP addresses makes room for others', () => {
  const { open, connect } = createFixture()
  const flood = Array.from({ length: 20 }, (_, n) => connect(flooding(n), n < 3))
  const kept = ['2001:db8:b:1::/64', '192.0.2.1'].flatMap((key) => [connect(key), connect(key), connect(key, true)])
  for (const key of ['2001:db8:b:1::/64', '192.0.2.1', '198.51.100.1', flooding(99)]) {
    const newcomer = connect(key)
    const victim = open.victimFor(key)
    assert.ok(victim !== undefined && flood.indexOf(victim) >= 3, key)
    assert.notEqual(victim, newcomer)
  }
  assert.equal(open.count(), 26)
  assert.ok(kept.every((socket) => !socket.destroyed))
})

test('in a network, the household with the most connections makes room', () => {
  const { open, connect } = createFixture()
  const neighbour = [connect('2001:db8:a:1::/64'), connect('2001:db8:a:1::/64')]
  const flood = Array.from({ length: 20 }, (_, n) => connect(flooding(0x100 + n)))
  connect('2001:db8:b::/64')
  assert.ok(flood.includes(open.victimFor('2001:db8:b::/64') as Socket))
  const another = connect('2001:db8:a:1::/64')
  assert.ok(flood.includes(open.victimFor('2001:db8:a:1::/64') as Socket))
  assert.equal(open.add('2001:db8:a:1::/64', new Socket()).count, [...neighbour, another].length + 1)
})

test('busy connections make room only for networks with fewer', () => {
  const { open, connect } = createFixture()
  const flood = Array.from({ length: 5 }, (_, n) => connect(flooding(n), true))
  connect('192.0.2.1', true)
  assert.ok(flood.includes(open.victimFor('192.0.2.1') as Socket))
  connect(flooding(99), true)
  assert.equal(open.victimFor(flooding(99)), undefined)
})

test('connections that have closed do not count', () => {
  const { open, connect } = createFixture()
  const sockets = Array.from({ length: 3 }, (_, n) => connect(flooding(n)))
  for (const socket of sockets) socket.emit('close')
  assert.equal(open.count(), 0)
  const kept = connect('192.0.2.1')
  assert.equal(open.victimFor('198.51.100.1'), kept)
  kept.emit('close')
  assert.equal(open.count(), 0)
})
