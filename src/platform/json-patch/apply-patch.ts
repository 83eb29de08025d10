import { addValue, isInside, type JsonValue, readValue, removeValue, toTokens } from './pointer.ts'

/** One operation of a JSON Patch (RFC 6902, section 4). */
export type Operation =
  | { op: 'add' | 'replace' | 'test'; path: string; value: JsonValue }
  | { op: 'remove'; path: string }
  | { op: 'move' | 'copy'; from: string; path: string }

/** The first operation that could not be applied. */
export class PatchFault extends Error {
  override readonly name = 'PatchFault'
  readonly kind: 'not_applicable' | 'test_failed'
  /** Position of the operation. */
  readonly index: number

  constructor(kind: PatchFault['kind'], index: number, message: string) {
    super(message)
    this.kind = kind
    this.index = index
  }
}

/** As deep as a request body may be nested. */
const MAX_DEPTH = 64

/**
 * The most characters that the `copy` operations of a patch may add. Each of them can double the document, so without a
 * limit 100 operations would exhaust the memory.
 */
const MAX_COPIED_CHARACTERS = 1024 * 1024

/**
 * Applies a JSON Patch (RFC 6902). Our own, because libraries do not limit the growth of the document.
 *
 * @param document JSON, which the operations modify
 * @returns the patched document
 * @throws `PatchFault`
 */
export function applyPatch(document: JsonValue, operations: readonly Operation[]): JsonValue {
  const budget = { characters: MAX_COPIED_CHARACTERS }
  // The root is a member of an object, so that operations can replace it like any other value.
  const holder = { root: document }
  for (const [index, operation] of operations.entries()) {
    try {
      if (!applyOne(holder, operation, budget)) {
        throw new PatchFault('test_failed', index, 'The value differs from the expected one.')
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error
      throw new PatchFault('not_applicable', index, error.message)
    }
  }
  if (!isWithinDepth(holder.root, MAX_DEPTH)) {
    throw new PatchFault(
      'not_applicable',
      operations.length - 1,
      `The result is nested deeper than ${MAX_DEPTH} levels.`,
    )
  }
  return holder.root
}

interface Budget {
  characters: number
}

/** @returns false if a test fails */
function applyOne(holder: { root: JsonValue }, operation: Operation, budget: Budget): boolean {
  const path = ['root', ...toTokens(operation.path)]
  switch (operation.op) {
    case 'add':
      addValue(holder, path, copyOf(operation.value))
      return true
    case 'replace':
      removeValue(holder, path)
      addValue(holder, path, copyOf(operation.value))
      return true
    case 'remove':
      if (path.length === 1) throw new RangeError('The whole document cannot be removed.')
      removeValue(holder, path)
      return true
    case 'test':
      return isEqual(readValue(holder, path), operation.value)
    case 'copy':
      addValue(holder, path, copyOf(readValue(holder, ['root', ...toTokens(operation.from)]), budget))
      return true
    case 'move':
      move(holder, ['root', ...toTokens(operation.from)], path)
      return true
  }
}

function move(holder: { root: JsonValue }, from: readonly string[], path: readonly string[]): void {
  const value = readValue(holder, from)
  if (isInside(path, from)) throw new RangeError('A value cannot be moved into itself.')
  removeValue(holder, from)
  addValue(holder, path, value)
}

/** Copies a value, so that later operations do not change the patch or the source. */
function copyOf(value: JsonValue, budget: Budget = { characters: Number.POSITIVE_INFINITY }, depth = 0): JsonValue {
  if (depth > MAX_DEPTH) throw new RangeError(`The value is nested deeper than ${MAX_DEPTH} levels.`)
  // At least the separators.
  budget.characters -= typeof value === 'string' ? value.length + 3 : 3
  if (budget.characters < 0) throw new RangeError('The copies exceed 1 MiB.')
  if (Array.isArray(value)) return value.map((one) => copyOf(one, budget, depth + 1))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, one]) => {
    budget.characters -= name.length
    return [name, copyOf(one, budget, depth + 1)] as const
  })
  return Object.fromEntries(members)
}

/** Compares JSON values (RFC 6902, section 4.6). The order of members does not matter. */
function isEqual(a: JsonValue, b: JsonValue): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) || Array.isArray(b)) {
    if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false
    return a.every((one, index) => isEqual(one, b[index] ?? null))
  }
  const names = Object.keys(a)
  if (names.length !== Object.keys(b).length) return false
  return names.every((name) => Object.hasOwn(b, name) && isEqual(a[name] ?? null, b[name] ?? null))
}

function isWithinDepth(value: JsonValue, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return true
  return levels > 0 && Object.values(value).every((one) => isWithinDepth(one, levels - 1))
}
