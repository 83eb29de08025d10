/** Values that begin like this run as formulas where a spreadsheet opens them. */
const FORMULA = /^[=+\-@]/

export const isFormula = (value: string): boolean => FORMULA.test(value)

export const FORMULA_FAULT = {
  code: 'formula',
  detail: 'The value begins like a formula of a spreadsheet. Enter it as text.',
} as const

/** Returns the value of a field. Programs write `="0034"` so that Excel keeps the zeros of a number. */
export function unwrapped(field: string): string {
  const value = field.trim()
  return (/^="([^"]*)"$/.exec(value)?.[1] ?? value).trim()
}
