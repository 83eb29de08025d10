export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue }

/** Names that would reach the prototype of an object. No document has such a member. */
const FORBIDDEN_NAMES = new Set(['__proto__', 'constructor', 'prototype'])

/** Splits a JSON Pointer (RFC 6901) into its reference tokens. */
export function toTokens(pointer: string): string[] {
  const tokens = pointer.split('/').slice(1)
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Tells whether a path leads to a part of the value at another path. */
export function isInside(path: readonly string[], outer: readonly string[]): boolean {
  return path.length > outer.length && outer.every((token, index) => path[index] === token)
}

/** @throws RangeError if the path leads nowhere */
export function readValue(document: JsonValue, path: readonly string[]): JsonValue {
  let value = document
  for (const token of path) value = childOf(value, token)
  return value
}

function childOf(parent: JsonValue, token: string): JsonValue {
  if (Array.isArray(parent)) {
    const child = parent[toIndex(token, parent.length - 1)]
    if (child !== undefined) return child
  } else if (typeof parent === 'object' && parent !== null && Object.hasOwn(parent, token)) {
    return parent[token] ?? null
  }
  throw missing(token)
}

/** @throws RangeError if the path leads nowhere */
export function removeValue(document: JsonValue, path: readonly string[]): void {
  const { parent, token } = targetOf(document, path)
  childOf(parent, token)
  if (Array.isArray(parent)) parent.splice(toIndex(token, parent.length - 1), 1)
  else if (typeof parent === 'object' && parent !== null) delete parent[token]
}

/**
 * Inserts a value into an array, or sets a member of an object.
 *
 * @throws RangeError if there is no place for it
 */
export function addValue(document: JsonValue, path: readonly string[], value: JsonValue): void {
  const { parent, token } = targetOf(document, path)
  if (Array.isArray(parent)) {
    const index = token === '-' ? parent.length : toIndex(token, parent.length)
    parent.splice(index, 0, value)
    return
  }
  if (typeof parent !== 'object' || parent === null) throw missing(token)
  if (FORBIDDEN_NAMES.has(token)) throw new RangeError(`A member must not be named "${token}".`)
  parent[token] = value
}

function targetOf(document: JsonValue, path: readonly string[]): { parent: JsonValue; token: string } {
  return { parent: readValue(document, path.slice(0, -1)), token: path.at(-1) ?? '' }
}

function toIndex(token: string, last: number): number {
  const index = /^(?:0|[1-9]\d{0,9})$/.test(token) ? Number(token) : Number.NaN
  if (index <= last) return index
  throw missing(token)
}

function missing(token: string): RangeError {
  return new RangeError(`The document has no place "${token.slice(0, 100)}" there.`)
}
