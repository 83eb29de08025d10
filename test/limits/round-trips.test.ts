import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { test } from 'node:test'
import type pg from 'pg'
import { documentOf, startSignedIn, textLayer } from '../../src/designs/factory.ts'
import { ADDRESS } from '../../src/orders/factory.ts'
import type { TestResponse, TestService } from '../harness.ts'

/** On a busy computer, the mails of earlier orders are composed during most of them. */
const MOST_RUNS = 40

/**
 * Counts the round trips to the database during a request. The least of several runs is without background work.
 *
 * @param wanted ends the runs as soon as one needs no more
 */
async function countTrips(service: TestService, wanted: number, send: () => Promise<TestResponse>): Promise<number> {
  const { pool } = service.services.database
  const connections = new Set<pg.Connection>()
  let trips = 0
  const count = (): void => {
    trips += 1
  }
  const watch = ({ connection }: pg.PoolClient): void => {
    if (connections.has(connection)) return
    connections.add(connection)
    connection.on('readyForQuery', count)
  }
  pool.on('acquire', watch)
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < MOST_RUNS && least > wanted; run += 1) {
    const before = trips
    const { status, text } = await send()
    assert.ok(status < 300, text)
    least = Math.min(least, trips - before)
  }
  pool.off('acquire', watch)
  for (const connection of connections) connection.off('readyForQuery', count)
  return least
}

// Each further round trip delays every such request, and holds its connection and locks for longer.
test('frequent writes need few round trips to the database', async (t) => {
  const { service, token, create } = await startSignedIn(t)
  const { email, password } = await service.signUp()
  const logIn = () => service.request('POST', '/api/auth/login', { body: { email, password } })
  // Attempts, user, begin with the lock of the user, session, limit of mails, attempts, commit.
  assert.equal(await countTrips(service, 7, logIn), 7)

  let { refreshToken } = (await logIn()).body
  const refresh = async () => {
    const answer = await service.request('POST', '/api/auth/refresh', { body: { refreshToken } })
    refreshToken = answer.body.refreshToken
    return answer
  }
  assert.equal(await countTrips(service, 1, refresh), 1)

  const { body: design } = await create({ document: documentOf([textLayer('Hello')]) })
  await service.request('POST', `/designs/${design.id}/finalize`, { token })
  const body = { items: [{ designId: design.id, quantity: 2 }], shippingAddress: ADDRESS }
  const order = () => service.request('POST', '/orders', { token, body, headers: { 'idempotency-key': randomUUID() } })
  // Begin with the claim of the key, designs, order with its event, usage, stored response, commit.
  assert.equal(await countTrips(service, 6, order), 6)
})
