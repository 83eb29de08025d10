import type { MessageKey, Texts } from '@platen/ui'

/** The columns of a file, and what is entered in them. The service knows their names in each language of the pages. */
export const COLUMNS = [
  { title: 'console.importColumnOrder', about: 'console.importAboutOrder' },
  { title: 'console.importColumnCarrier', about: 'console.importAboutCarrier' },
  { title: 'console.importColumnTracking', about: 'console.importAboutTracking' },
  { title: 'console.importColumnUrl', about: 'console.importAboutUrl' },
  { title: 'console.importColumnShipped', about: 'console.importAboutShipped' },
] as const satisfies readonly { title: MessageKey; about: MessageKey }[]

/** Columns of the template: those that most shops fill in. */
const TEMPLATE_COLUMNS = COLUMNS.slice(0, 3)

/** Returns a file with a line for each order, in which the carrier and the tracking number are to be entered. */
export function templateOf({ text, locale }: Pick<Texts, 'text' | 'locale'>, numbers: readonly string[]): Blob {
  const separator = separatorIn(locale)
  const lines = [TEMPLATE_COLUMNS.map(({ title }) => text(title)), ...numbers.map((number) => [number, '', ''])]
  // Excel takes a file without the mark for Windows-1252.
  return new Blob([`\ufeff${lines.map((line) => `${line.join(separator)}\r\n`).join('')}`], { type: 'text/csv' })
}

/** Excel separates columns with semicolons where the comma is in numbers. */
const separatorIn = (locale: string): ',' | ';' => ((0.5).toLocaleString(locale).includes(',') ? ';' : ',')
