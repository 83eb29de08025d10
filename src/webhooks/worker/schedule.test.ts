import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { pauseAfter, retryAfter, retryDelay } from './schedule.ts'

test('the retries of a delivery take three days', () => {
  for (const jitter of [0, 1]) {
    let seconds = 0
    for (let tries = 1, pause = 0; ; tries++, seconds += pause) {
      const next = retryDelay(tries, () => jitter)
      if (next === undefined) break
      pause = next
    }
    assert.equal(Math.floor(seconds / 86_400), 3)
  }
  for (const file of ['CHANGELOG.md', 'docs/adr/0007-webhook-queues.md']) {
    const text = readFileSync(join(import.meta.dirname, '../../..', file), 'utf8')
    assert.match(text, /retries\s+(?:for|over)\s+three\s+days/, file)
  }
})

test('failed attempts are retried nine times on the published schedule, up to a tenth later', () => {
  const published = [5, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400, undefined]
  assert.deepEqual(
    published.map((_, index) => retryDelay(index + 1, () => 0)),
    published,
  )
  assert.equal(
    retryDelay(1, () => 1),
    5.5,
  )
})

test('an endpoint that keeps failing gets fewer and fewer requests, but at least one a minute', () => {
  assert.deepEqual([1, 4, 5, 6, 10, 11, 1000].map(pauseAfter), [0, 0, 1, 2, 32, 60, 60])
})

test('Retry-After is honoured up to a day', () => {
  const now = new Date('2026-01-01T00:00:00Z')
  const cases: [number, string | undefined, number][] = [
    [429, '120', 120],
    [503, 'Thu, 01 Jan 2026 00:01:00 GMT', 60],
    [503, 'Wed, 31 Dec 2025 00:01:00 GMT', 0],
    [429, '999999999', 86_400],
    [429, 'soon', 0],
    [429, undefined, 0],
    [500, '120', 0],
  ]
  for (const [status, header, seconds] of cases) assert.equal(retryAfter(status, header, now), seconds, `${header}`)
})
