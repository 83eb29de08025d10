import { httpProblems } from '../core/problems.ts'

/**
 * Parses a timestamp that its schema has accepted. The schema also accepts some timestamps that do not exist, such as a
 * leap second.
 *
 * @param place name of the query parameter, or JSON Pointer into the body (`/from`)
 * @throws `validation_failed`
 */
export function readTimestamp(text: string, place: string): Date
export function readTimestamp(text: string | undefined, place: string): Date | undefined
export function readTimestamp(text: string | undefined, place: string): Date | undefined {
  if (text === undefined) return undefined
  const moment = new Date(text)
  if (!Number.isNaN(moment.getTime())) return moment
  const isInBody = place.startsWith('/')
  const errors = [
    { code: 'wrong_format', [isInBody ? 'pointer' : 'parameter']: place, detail: 'This timestamp does not exist.' },
  ]
  const detail = `The ${isInBody ? 'body' : 'query'} does not match its schema.`
  throw httpProblems.validation_failed({ detail, errors })
}
