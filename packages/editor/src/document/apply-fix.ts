import { type DesignDocument, type JsonPatch, lockOf } from '@platen/drawing'
import type { EditorLayer } from './layers.ts'

/**
 * Applies the fix of an issue, a JSON Patch (RFC 6902) with `replace` only. Returns the same document if all values are
 * there already, or a path leads nowhere: the report may be older than the document.
 */
export function applyFix(document: DesignDocument, fix: JsonPatch): DesignDocument {
  let result: unknown = document
  for (const { path, value } of fix) {
    const changed = replaced(result, keysOf(path), value)
    if (changed === undefined) return document
    result = changed
  }
  return result as DesignDocument
}

function keysOf(pointer: string): string[] {
  return pointer
    .split('/')
    .slice(1)
    .map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

/** Copies only what changes, because views compare objects. Returns undefined if the place does not exist. */
function replaced(target: unknown, [key, ...rest]: readonly string[], value: unknown): unknown {
  if (key === undefined) return Object.is(target, value) ? target : value
  if (typeof target !== 'object' || target === null || !Object.hasOwn(target, key)) return undefined
  const before = (target as Record<string, unknown>)[key]
  const after = replaced(before, rest, value)
  if (after === undefined || after === before) return after === undefined ? undefined : target
  return Array.isArray(target) ? target.with(Number(key), after) : { ...target, [key]: after }
}

/** Finds the layer to which the pointer of an issue leads. */
export function layerAtPointer(document: DesignDocument, pointer: string): EditorLayer | undefined {
  const [, placements, p, layers, l] = pointer.split('/')
  if (placements !== 'placements' || layers !== 'layers') return undefined
  return document.placements[Number(p)]?.layers[Number(l)]
}

/** Finds the print area to which the pointer of an issue leads. */
export function printAreaAtPointer(document: DesignDocument, pointer: string): string | undefined {
  const [, placements, p] = pointer.split('/')
  return placements === 'placements' ? document.placements[Number(p)]?.printAreaId : undefined
}

/** Tells whether the lock of a layer forbids a fix. */
export function isFixLocked(document: DesignDocument, fix: JsonPatch): boolean {
  return fix.some(({ path }) => {
    const lock = lockOf(keysOf(path)[4] ?? '')
    return lock !== undefined && lock !== 'lock' && layerAtPointer(document, path)?.lock?.[lock] === true
  })
}
