import { canonicalJson } from '../canonical-json.ts'
import type { DesignDocument, Placement } from './design-document.ts'
import { type Layer, layerFonts } from './layer-types.ts'
import type { LayerLock } from './schema/fields.ts'

export type LockName = keyof LayerLock

/** A change that a lock forbids. `pointer` leads from the root of the new document, for a removed layer of the old one. */
export interface BrokenLock {
  pointer: string
  layerId: string
  lock: LockName | 'lock'
}

const MOVE: ReadonlySet<string> = new Set(['x', 'y', 'width', 'height', 'rotation'])
const EDIT: ReadonlySet<string> = new Set(['text', 'value', 'assetId', 'path', 'crop'])

/**
 * Lists what the locks of a document forbid of another version of it. Both documents are normalized and have unique
 * ids. If a layer is moved past a layer whose place is locked, the place of the latter has changed, too. New layers may
 * be anywhere.
 */
export function findBrokenLocks(before: DesignDocument, after: DesignDocument): BrokenLock[] {
  const found = placesOf(after)
  return Array.from(placesOf(before).values()).flatMap((old) => {
    const now = found.get(old.layer.id)
    const { id: layerId, lock } = old.layer
    if (now === undefined)
      return lock?.remove === true ? [{ pointer: old.pointer, layerId, lock: 'remove' as const }] : []
    // An editor keeps the objects of layers that stay, and checks each movement of the pointer.
    const fields = now.layer === old.layer ? [] : [...new Set([...Object.keys(old.layer), ...Object.keys(now.layer)])]
    const broken = fields.flatMap((field) => {
      const name = lockOf(field)
      if (name === undefined || (name !== 'lock' && lock?.[name] !== true)) return []
      return isEqual(field, old.layer, now.layer) ? [] : [{ pointer: `${now.pointer}/${field}`, layerId, lock: name }]
    })
    if (lock?.move !== true || hasSamePlace(old, now)) return broken
    return [...broken, { pointer: now.pointer, layerId, lock: 'move' as const }]
  })
}

/** Returns the lock that protects a field of a layer. The id identifies the layer, so it cannot differ. */
export function lockOf(field: string): BrokenLock['lock'] | undefined {
  if (field === 'id') return undefined
  if (field === 'lock') return 'lock'
  if (MOVE.has(field)) return 'move'
  return EDIT.has(field) ? 'edit' : 'style'
}

/**
 * Lists the families of the texts that must stay as they are. An uploaded font with the name of such a family could show
 * other letters, so services and editors draw documents without it.
 */
export function lockedFamilies({ placements }: DesignDocument): Set<string> {
  const locked = placements.flatMap(({ layers }) =>
    layers.filter(({ lock }) => lock?.edit === true || lock?.style === true),
  )
  return new Set(locked.flatMap(layerFonts).map(({ family }) => family))
}

interface Place {
  layer: Layer
  placement: Placement
  index: number
  pointer: string
}

/** A map, because a client may choose an id such as `__proto__`. */
function placesOf({ placements }: DesignDocument): Map<string, Place> {
  const places = new Map<string, Place>()
  for (const [p, placement] of placements.entries()) {
    for (const [index, layer] of placement.layers.entries()) {
      places.set(layer.id, { layer, placement, index, pointer: `/placements/${p}/layers/${index}` })
    }
  }
  return places
}

function isEqual(field: string, old: Layer, now: Layer): boolean {
  const [before, after] = [old, now].map((layer) => (layer as unknown as Record<string, unknown>)[field])
  return field === 'lock' ? lockKey(before) === lockKey(after) : textOf(before) === textOf(after)
}

const textOf = (value: unknown): string => (value === undefined ? '' : canonicalJson(value))

/** A lock that is false, or absent, forbids nothing. */
function lockKey(lock: unknown): string {
  return Object.entries((lock ?? {}) as LayerLock)
    .flatMap(([name, isLocked]) => (isLocked === true ? [name] : []))
    .sort()
    .join()
}

/** Compares the print area, and which of the layers that both versions have there are below. */
function hasSamePlace(old: Place, now: Place): boolean {
  if (old.placement.printAreaId !== now.placement.printAreaId) return false
  const sideOf = (place: Place) =>
    new Map(place.placement.layers.map(({ id }, index) => [id, Math.sign(index - place.index)]))
  const sides = sideOf(now)
  return Array.from(sideOf(old)).every(([id, side]) => (sides.get(id) ?? side) === side)
}
