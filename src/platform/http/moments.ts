import { httpProblems } from './problems.ts'

/**
 * A moment of a query, which its schema has found well-formed. Some of these do not exist, such as a leap second.
 *
 * @throws `validation_failed`
 */
export function readMoment(text: string, parameter: string): Date
export function readMoment(text: string | undefined, parameter: string): Date | undefined
export function readMoment(text: string | undefined, parameter: string): Date | undefined {
  if (text === undefined) return undefined
  const moment = new Date(text)
  if (!Number.isNaN(moment.getTime())) return moment
  const errors = [{ code: 'wrong_format', parameter, detail: 'There is no such moment.' }]
  throw httpProblems.validation_failed({ detail: 'The query does not match its schema.', errors })
}
