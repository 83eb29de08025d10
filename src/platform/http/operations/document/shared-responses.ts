import { createHash } from 'node:crypto'
import { isObject, type Json } from './json.ts'

type Paths = Record<string, Record<string, { responses?: Record<string, unknown> }>>

/** Names with more codes would be too long. */
const MAX_CODES_IN_NAME = 2

/**
 * Moves problem responses that several operations have to the components of the document, which makes it much smaller.
 * The name of a response depends on its content only, so that it stays the same when operations are added.
 *
 * @returns the moved responses by name
 */
export function shareResponses(paths: Paths): Json {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods))
  const counts = new Map<string, number>()
  for (const { responses = {} } of operations)
    for (const name of Object.entries(responses).map(nameOf)) counts.set(name, (counts.get(name) ?? 0) + 1)
  const shared: Json = {}
  for (const operation of operations) {
    const responses = Object.entries(operation.responses ?? {}).map(([status, response]) => {
      const name = nameOf([status, response])
      if (name === '' || counts.get(name) === 1) return [status, response]
      shared[name] = response
      return [status, { $ref: `#/components/responses/${name}` }]
    })
    operation.responses = Object.fromEntries(responses)
  }
  return shared
}

/** Returns the name of a problem response, or an empty name for other responses. */
function nameOf([status, response]: [string, unknown]): string {
  const codes = isObject(response) ? response['x-platen-codes'] : undefined
  if (!Array.isArray(codes)) return ''
  const content = createHash('sha256').update(JSON.stringify(response)).digest('hex').slice(0, 6)
  return `Problem_${status}_${codes.length <= MAX_CODES_IN_NAME ? codes.join('_or_') : content}`
}
