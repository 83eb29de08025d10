import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFloodGate } from './flood-gate.ts'

const MARK = { limit: 'anonymous', points: 1, windowSeconds: 60 }

function startGate() {
  const gate = createFloodGate()
  gate.mark('anonymous 192.0.2.1', { ...MARK, endsAt: performance.now() + 60_000 })
  const refusal = gate.find(['anonymous 192.0.2.1'])
  assert.ok(refusal?.isLate)
  let sent = 0
  return {
    gate,
    sentBy: (count: number) => {
      for (let n = 0; n < count; n += 1)
        gate.send(refusal, () => {
          sent += 1
        })
      return sent
    },
  }
}

test('refusals that wait are sent when the service stops, and later ones at once', () => {
  const { gate, sentBy } = startGate()
  assert.equal(sentBy(20), 0)
  gate.close()
  assert.equal(sentBy(0), 20)
  assert.equal(sentBy(1), 21)
})

test('no more than 5,000 refusals wait', () => {
  const { gate, sentBy } = startGate()
  assert.equal(sentBy(5_003), 3)
  gate.close()
})

test('a mark ends with the window of its limit', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const now = t.mock.method(performance, 'now', () => 0)
  const gate = createFloodGate()
  gate.mark('anonymous 192.0.2.1', { ...MARK, endsAt: 60_000 })
  now.mock.mockImplementation(() => 59_999)
  assert.ok(gate.find(['signedIn Bearer', 'anonymous 192.0.2.1']))
  assert.equal(gate.find(['anonymous 192.0.2.2']), undefined)
  now.mock.mockImplementation(() => 60_000)
  assert.equal(gate.find(['anonymous 192.0.2.1']), undefined)
})
