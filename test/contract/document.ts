import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A part of the document. */
export type Json = Record<string, unknown>

export interface Operation {
  operationId: string
  description?: string
  deprecated?: boolean
  security: Record<string, string[]>[]
  tags: string[]
  parameters?: { name: string; in: string; required?: boolean; schema?: Json }[]
  requestBody?: { required?: boolean; content: Record<string, { schema: Json }> }
  responses: Record<string, { $ref?: string; headers?: Json; content?: Record<string, { schema: Json }> }>
  [extension: `x-${string}`]: unknown
}

export interface ContractDocument {
  paths: Record<string, Record<string, Operation>>
  components: { schemas: Record<string, Json>; [kind: string]: Record<string, unknown> }
  [member: string]: unknown
}

/** The committed document. Another test compares it with the running service. */
export const contract = JSON.parse(
  readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8'),
) as ContractDocument

export const operations: ReadonlyMap<string, Operation & { method: string; path: string }> = new Map(
  Object.entries(contract.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      operation.operationId,
      { ...operation, responses: resolved(operation.responses), method, path },
    ]),
  ),
)

/** Follows the references to responses that several operations share. */
function resolved(responses: Operation['responses']): Operation['responses'] {
  const shared = contract.components['responses'] as Operation['responses']
  const entries = Object.entries(responses).map(([status, response]) => {
    const name = response.$ref?.split('/').at(-1) ?? ''
    return [status, shared[name] ?? response]
  })
  return Object.fromEntries(entries)
}

export function requireOperation(operationId: string): Operation & { method: string; path: string } {
  const found = operations.get(operationId)
  if (found === undefined) throw new Error(`there is no operation ${operationId}`)
  return found
}

/** Calls a function with every object of the document and its place. */
export function visitObjects(value: unknown, visit: (object: Json, place: string) => void, place = '#'): void {
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) visit(value as Json, place)
  for (const [key, one] of Object.entries(value)) visitObjects(one, visit, `${place}/${key}`)
}
