import assert from 'node:assert/strict'
import { test } from 'node:test'
import { timeText } from './time-texts.ts'

const NOW = new Date(2026, 10, 23, 0, 30)
/** Spaces of `Intl` differ between releases of its data. */
const textOf = (time: Date, locale: string): string => timeText(time.getTime(), locale, NOW).replaceAll(/\s/gu, ' ')

test('a time names its day as one says it', () => {
  const today = new Date(2026, 10, 23, 0, 3)
  const yesterday = new Date(2026, 10, 22, 23, 59)
  const earlier = new Date(2026, 10, 12, 14, 3)
  const lastYear = new Date(2025, 11, 31, 14, 3)
  assert.deepEqual(
    [today, yesterday, earlier, lastYear].map((time) => textOf(time, 'en-GB')),
    ['today 00:03', 'yesterday 23:59', '12 November at 14:03', '31 December 2025 at 14:03'],
  )
  assert.deepEqual(
    [today, yesterday, earlier, lastYear].map((time) => textOf(time, 'de')),
    ['heute 00:03', 'gestern 23:59', '12. November um 14:03', '31. Dezember 2025 um 14:03'],
  )
})

// Midnights are 25 and 23 hours apart there, and those in London are on both sides of midnight in UTC.
test('the days on which summer time ends and begins are yesterday on the next day', () => {
  const before = process.env['TZ']
  process.env['TZ'] = 'Europe/London'
  try {
    for (const [month, day] of [
      [9, 25],
      [2, 29],
    ] as const) {
      const time = new Date(2026, month, day, 0, 10).getTime()
      assert.match(timeText(time, 'en-GB', new Date(2026, month, day, 23, 30)), /^today/)
      assert.match(timeText(time, 'en-GB', new Date(2026, month, day + 1, 0, 5)), /^yesterday/)
    }
  } finally {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  }
})
