import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Retention, selectKept } from './retention.ts'

// Times of backups. 2026-11-23 is a Monday.
const TIMES = [
  '2026-09-30T02:30:00.000Z',
  '2026-10-31T02:30:00.000Z',
  '2026-11-15T02:30:00.000Z',
  '2026-11-22T02:30:00.000Z',
  '2026-11-23T02:30:00.000Z',
  '2026-11-27T02:30:00.000Z',
  '2026-11-28T02:30:00.000Z',
  '2026-11-28T14:00:00.000Z',
]

const keptOf = (retention: Retention): string[] =>
  [
    ...selectKept(
      TIMES.map((takenAt) => ({ id: takenAt, takenAt })),
      retention,
    ),
  ]
    .sort()
    .map((id) => id.slice(5, 13))

test('each rule keeps the newest backups of its periods, and the newest one always stays', () => {
  assert.deepEqual(keptOf({}), ['11-28T14'])
  assert.deepEqual(keptOf({ keepLast: 2 }), ['11-28T02', '11-28T14'])
  assert.deepEqual(keptOf({ keepDaily: 3 }), ['11-23T02', '11-27T02', '11-28T14'])
  assert.deepEqual(keptOf({ keepWeekly: 3 }), ['11-15T02', '11-22T02', '11-28T14'])
  assert.deepEqual(keptOf({ keepMonthly: 12 }), ['09-30T02', '10-31T02', '11-28T14'])
})

test('a backup stays if one of several rules selects it', () => {
  const kept = keptOf({ keepLast: 2, keepDaily: 2, keepMonthly: 2 })
  assert.deepEqual(kept, ['10-31T02', '11-27T02', '11-28T02', '11-28T14'])
})
