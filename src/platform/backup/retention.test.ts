import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type Retention, selectForSecrets, selectKept } from './retention.ts'

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

test('of each secret that was in use since the first point in time, the newest backup stays', () => {
  const taken = (day: number, fingerprint?: string) => ({
    id: String(day),
    takenAt: `2026-11-${day}T02:30:00.000Z`,
    secret: fingerprint === undefined ? {} : { fingerprint },
  })
  const kept = (backups: ReturnType<typeof taken>[], since: string) =>
    [...selectForSecrets(backups, new Date(since))].sort()
  const rotated = [taken(10, 'a'), taken(11, 'b'), taken(12, 'b'), taken(13, 'b'), taken(14, 'c')]
  assert.deepEqual(kept(rotated, '2026-11-10T00:00:00Z'), ['10', '13', '14'])
  // The secret may have been replaced after this time, so the backup before it counts.
  assert.deepEqual(kept(rotated, '2026-11-10T03:00:00Z'), ['10', '13', '14'])
  assert.deepEqual(kept(rotated, '2026-11-11T03:00:00Z'), ['13', '14'])
  assert.deepEqual(kept(rotated, '2026-11-20T00:00:00Z'), ['14'])
  // Backups of earlier versions do not tell which secret they have.
  assert.deepEqual(kept([taken(10), taken(11), taken(12)], '2026-11-11T03:00:00Z'), ['11', '12'])
  assert.deepEqual(kept([{ ...taken(10, 'a'), secret: null as never }, taken(11, 'a')], '2026-11-10T00:00:00Z'), ['11'])
})
