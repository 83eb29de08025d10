const UNITS = { kB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 } as const
type Unit = keyof typeof UNITS

/** More than any disk holds, and still an exact number of bytes. */
export const MOST_BYTES = 1e15

/** Returns the bytes that a text such as `5 GB` or `1,5 MB` states; undefined for other texts, also for one without a unit. */
export function readSize(text: string): number | undefined {
  const [, number = '', name = ''] = /^(\d+(?:[.,]\d+)?)\s*([kmgt]b)$/i.exec(text.trim()) ?? []
  const unit = (Object.keys(UNITS) as Unit[]).find((one) => one.toLowerCase() === name.toLowerCase())
  return unit === undefined ? undefined : Math.round(Number(number.replace(',', '.')) * UNITS[unit])
}

/**
 * Writes bytes without rounding, in the largest unit of which they are one or more.
 *
 * @param writeNumber writes a number in the language of the page
 */
export function writeSize(bytes: number, writeNumber: (value: number) => string): string {
  const fitting = (Object.keys(UNITS) as Unit[]).filter((one) => bytes >= UNITS[one]).at(-1) ?? 'kB'
  return `${writeNumber(bytes / UNITS[fitting])} ${fitting}`
}
