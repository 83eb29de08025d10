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

test('the day before the end of summer time is yesterday', () => {
  const before = process.env['TZ']
  process.env['TZ'] = 'Europe/Berlin'
  try {
    const now = new Date(2026, 9, 25, 23, 30)
    assert.match(timeText(new Date(2026, 9, 25, 0, 10).getTime(), 'en-GB', now), /^today/)
    assert.match(timeText(new Date(2026, 9, 24, 0, 10).getTime(), 'en-GB', now), /^yesterday/)
  } finally {
    if (before === undefined) delete process.env['TZ']
    else process.env['TZ'] = before
  }
})
