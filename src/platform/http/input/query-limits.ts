import { type ParsedUrlQuery, parse } from 'node:querystring'
import { httpProblems } from '../core/problems.ts'

/** No operation has as many parameters. */
const MOST_PARAMETERS = 100

/** Parses a query. Parameters beyond the limit are not parsed, because the request is refused (`requireShortQuery`). */
export const parseQuery = (query: string): ParsedUrlQuery =>
  parse(query, undefined, undefined, { maxKeys: MOST_PARAMETERS })

/**
 * Rejects a query of very many parameters. Validation creates an error for each that is unknown, so a short request would
 * take as long as hundreds of others.
 *
 * @throws `malformed_request`
 */
export function requireShortQuery(url: string): void {
  const begin = url.indexOf('?')
  if (begin === -1) return
  let count = 1
  for (let at = url.indexOf('&', begin); at !== -1; at = url.indexOf('&', at + 1)) count += 1
  if (count <= MOST_PARAMETERS) return
  throw httpProblems.malformed_request(`The query has ${count} parameters; up to ${MOST_PARAMETERS} are allowed.`)
}
