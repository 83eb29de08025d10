import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { test } from 'node:test'
import { createBlocks, createKnownCredentials } from './blocks.ts'

const BLOCK = { limit: 'anonymous', points: 1, windowSeconds: 60, principal: undefined }
const KEY = 'anonymous 192.0.2.1'

function startBlocks() {
  const blocks = createBlocks()
  blocks.add(KEY, { ...BLOCK, endsAt: Date.now() + 60_000 })
  const refusal = blocks.refuse([KEY])
  assert.ok(refusal?.isLate)
  let sent = 0
  const response = new EventEmitter().setMaxListeners(0) as ServerResponse
  return {
    blocks,
    response,
    sentBy: (count: number) => {
      for (let n = 0; n < count; n += 1)
        blocks.send(refusal, response, () => {
          sent += 1
        })
      return sent
    },
  }
}

test('refusals that wait are sent when the service stops, and later ones at once', () => {
  const { blocks, sentBy } = startBlocks()
  assert.equal(sentBy(20), 0)
  blocks.close()
  assert.equal(sentBy(0), 20)
  assert.equal(sentBy(1), 21)
})

test('no more than 5,000 refusals wait, and none of a client that has left', () => {
  const { blocks, sentBy, response } = startBlocks()
  assert.equal(sentBy(5_003), 3)
  response.emit('close')
  assert.equal(sentBy(1), 3)
  blocks.close()
  assert.equal(sentBy(0), 4)
})

test('a block ends with the window of its limit', (t) => {
  t.mock.timers.enable({ apis: ['Date'], now: 0 })
  const blocks = createBlocks()
  blocks.add(KEY, { ...BLOCK, endsAt: 60_000 })
  t.mock.timers.tick(59_999)
  assert.ok(blocks.refuse(['signedIn Bearer', KEY]))
  assert.equal(blocks.refuse(['anonymous 192.0.2.2']), undefined)
  t.mock.timers.tick(1)
  assert.equal(blocks.refuse([KEY]), undefined)
})

test('all addresses of a blocked network together have 20 requests a second that go on, apart from refused ones', (t) => {
  t.mock.method(performance, 'now', () => 0)
  const blocks = createBlocks()
  const network = 'network-wide-anonymous 192.0.2.0/24'
  for (const key of [KEY, network]) blocks.add(key, { ...BLOCK, endsAt: Date.now() + 60_000 })
  for (let n = 0; n < 100; n += 1) blocks.refuse([network])
  let letThrough = 0
  for (let n = 0; n < 100; n += 1) {
    const keys = [`anonymous 192.0.2.${n % 2}`, network]
    if (blocks.refuseMost(keys) === undefined) letThrough += 1
  }
  assert.equal(letThrough, 20)
})

test('the oldest of more than 20,000 blocks is forgotten', () => {
  const blocks = createBlocks()
  const endsAt = Date.now() + 60_000
  for (let n = 0; n <= 20_000; n += 1) blocks.add(`anonymous ${n}`, { ...BLOCK, endsAt })
  assert.equal(blocks.refuse(['anonymous 0']), undefined)
  assert.ok(blocks.refuse(['anonymous 1']) && blocks.refuse(['anonymous 20000']))
})

test('a credential is known until it is refused', () => {
  const known = createKnownCredentials()
  known.note('token', true)
  assert.ok(known.has('token'))
  known.note('token', false)
  assert.ok(!known.has('token'))
})
