import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isObject, type Json } from './json.ts'

/** Requests and responses of a real service, which `npm run examples` records. */
export const EXAMPLES_FILE = join(import.meta.dirname, '../../../../../docs/openapi/examples.json')

export interface Examples {
  /** By operation id. */
  operations: Record<string, OperationExample>
  /** By event type. `erased` is an event whose record was erased. */
  events: Record<string, unknown>
}

/** What an operation takes and answers. Bodies that are neither JSON nor text are left out. */
export interface OperationExample {
  request?: unknown
  response?: { status: number; value: unknown }
}

export function readExamples(): Examples {
  return JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8'))
}

/** Adds the recorded request and response to an operation. */
export function addExample(operation: Json, { request, response }: OperationExample = {}): void {
  if (request !== undefined) addTo(operation['requestBody'], { example: request }, isJsonType)
  if (response === undefined || !isObject(operation['responses'])) return
  const isType = typeof response.value === 'string' ? () => true : isJsonType
  addTo(operation['responses'][String(response.status)], { example: response.value }, isType)
}

/** Adds one event of each type to the request that endpoints get. */
export function addEventExamples(webhook: Json, events: Examples['events']): void {
  const examples = Object.fromEntries(Object.entries(events).map(([type, value]) => [type, { value }]))
  addTo(webhook['requestBody'], { examples }, isJsonType)
}

const isJsonType = (type: string): boolean => type === 'application/json'

/** Adds members to the first media type that fits. */
function addTo(body: unknown, members: Json, isType: (type: string) => boolean): void {
  const content = isObject(body) && isObject(body['content']) ? body['content'] : {}
  const found = Object.entries(content).find(([type]) => isType(type))?.[1]
  if (isObject(found)) Object.assign(found, members)
}
