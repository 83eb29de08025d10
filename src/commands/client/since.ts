import { usageError } from '../command-line/command-error.ts'

const UNITS_MS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Parses the value of `--since`: a time (RFC 3339), or how long ago in seconds, minutes, hours or days. */
export function parseSince(text: string, now: Date): Date {
  const [, amount = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const isTime = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d))?$/.test(text)
  const at = unit === '' ? Date.parse(isTime ? text : '') : now.getTime() - Number(amount) * (UNITS_MS[unit] ?? 0)
  if (!Number.isNaN(at)) return new Date(at)
  throw usageError(`--since '${text}' is neither a time such as 2026-05-04T10:00:00Z nor a duration such as 10m or 2h.`)
}
