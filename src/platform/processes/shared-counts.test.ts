import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Changes, createHoldings, createSharedCounts } from './shared-counts.ts'

/** Creates shared counts, and a function that returns the changes that they have sent. */
function recorded(mocked: { tick(ms: number): void }) {
  const sent: Changes[] = []
  const shared = createSharedCounts((changes) => sent.push(changes))
  const flush = (): Changes[] => {
    mocked.tick(5)
    return structuredClone(sent.splice(0))
  }
  return { shared, flush }
}

test('counts include those of other processes', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { shared, flush } = recorded(t.mock.timers)
  const counts = shared.counts('requests')
  counts.add('ada', 1)
  counts.add('ada', 1)
  counts.add('bob', 1)
  assert.deepEqual(flush(), [{ 'held requests': { ada: 2, bob: 1 } }])
  shared.receive({ 'held requests': { ada: 3, cyd: 1 }, 'held other': { ada: 9 } })
  assert.deepEqual([counts.of('ada'), counts.of('cyd'), counts.size()], [5, 1, 3])
  shared.receive({ 'held requests': { ada: -3 } })
  assert.equal(counts.of('ada'), 2)
})

test('a request that ends at once costs no message', (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { shared, flush } = recorded(t.mock.timers)
  const counts = shared.counts('requests')
  counts.add('ada', 1)
  counts.add('ada', -1)
  assert.deepEqual(flush(), [])
})

test('when a process ends, the counts that it holds are taken off, and those that it noted stay', () => {
  const holdings = createHoldings()
  holdings.add(1, { 'held requests': { ada: 2 }, 'rate anonymous': { ip: 5 } })
  holdings.add(1, { 'held requests': { ada: -1, bob: 1 } })
  holdings.add(2, { 'held requests': { ada: 4 } })
  assert.deepEqual(structuredClone(holdings.all()), { 'held requests': { ada: 5, bob: 1 } })
  assert.deepEqual(holdings.remove(1), { 'held requests': { ada: -1, bob: -1 } })
  assert.deepEqual(structuredClone(holdings.all()), { 'held requests': { ada: 4 } })
})
