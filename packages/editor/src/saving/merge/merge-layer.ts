import { checkDocument } from '@platen/drawing'
import type { EditorLayer } from '../../document/layers.ts'
import { sameValue } from './same-value.ts'

/** A layer and its print area. */
export interface PlacedLayer {
  printAreaId: string
  layer: EditorLayer
}

export interface Sides<Value> {
  /** Undefined if both sides have added the layer. */
  base: Value | undefined
  mine: Value
  theirs: Value
}

export interface MergedLayer {
  placed: PlacedLayer
  /** The fields for which one side had to win. */
  conflicts: readonly string[]
}

/** Fields that change together: half of a move is no place that anyone chose. */
const UNITS = [
  ['x', 'y'],
  ['width', 'height'],
]

type Fields = Readonly<Record<string, unknown>>

/**
 * Merges a layer that both sides have, field by field.
 *
 * @param winner whose value stays if both have changed a field
 */
export function mergeLayer(sides: Sides<PlacedLayer>, winner: 'mine' | 'theirs'): MergedLayer {
  const { base, mine, theirs } = sides
  const fields = { base: fieldsOf(base), mine: fieldsOf(mine), theirs: fieldsOf(theirs) }
  const atOnce = mergeAtOnce(fields, winner)
  const merged = atOnce.conflicts.length > 0 && isSameType(sides) ? mergeFields(fields, winner) : atOnce
  const valid = merged === atOnce || isValid(merged.fields) ? merged : atOnce
  return { placed: placedOf(valid.fields, mine), conflicts: valid.conflicts }
}

interface MergedFields {
  fields: Fields
  conflicts: readonly string[]
}

function mergeFields({ base = {}, mine, theirs }: Sides<Fields>, winner: 'mine' | 'theirs'): MergedFields {
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])]
  const units = [...UNITS, ...names.filter((name) => !UNITS.flat().includes(name)).map((name) => [name])]
  const conflicts: string[] = []
  const fields: Record<string, unknown> = {}
  for (const unit of units) {
    const parts = { base: pick(base, unit), mine: pick(mine, unit), theirs: pick(theirs, unit) }
    const isConflict = changesBoth(parts)
    if (isConflict) conflicts.push(...unit.filter((name) => !sameValue(mine[name], theirs[name])))
    const isTheirs = isConflict ? winner === 'theirs' : sameValue(parts.mine, parts.base)
    Object.assign(fields, isTheirs ? parts.theirs : parts.mine)
  }
  return { fields, conflicts }
}

/** Takes all fields from one side: those of different types, and some mixtures, make no valid layer. */
function mergeAtOnce({ base, mine, theirs }: Sides<Fields>, winner: 'mine' | 'theirs'): MergedFields {
  if (base !== undefined && sameValue(mine, base)) return { fields: theirs, conflicts: [] }
  if (base !== undefined && sameValue(theirs, base)) return { fields: mine, conflicts: [] }
  const names = [...new Set([...Object.keys(mine), ...Object.keys(theirs)])]
  const conflicts = names.filter((name) => !sameValue(mine[name], theirs[name]))
  return { fields: winner === 'mine' ? mine : theirs, conflicts }
}

function changesBoth({ base, mine, theirs }: Sides<Fields>): boolean {
  return !sameValue(mine, theirs) && !sameValue(mine, base) && !sameValue(theirs, base)
}

function isSameType({ base, mine, theirs }: Sides<PlacedLayer>): boolean {
  const { type } = mine.layer
  return theirs.layer.type === type && (base === undefined || base.layer.type === type)
}

/** The members of a layer. The print area counts as one of them. */
function fieldsOf(placed: PlacedLayer): Fields
function fieldsOf(placed: PlacedLayer | undefined): Fields | undefined
function fieldsOf(placed: PlacedLayer | undefined): Fields | undefined {
  return placed === undefined ? undefined : { ...placed.layer, printAreaId: placed.printAreaId }
}

function placedOf({ printAreaId, ...layer }: Fields, mine: PlacedLayer): PlacedLayer {
  // Views compare layers by identity, so a layer without a change from elsewhere stays the same object.
  if (sameValue(layer, mine.layer)) return { layer: mine.layer, printAreaId: printAreaId as string }
  return { layer: layer as unknown as EditorLayer, printAreaId: printAreaId as string }
}

function isValid(fields: Fields): boolean {
  const { layer, printAreaId } = placedOf(fields, { layer: {} as EditorLayer, printAreaId: '' })
  return checkDocument({ version: 1, placements: [{ printAreaId, layers: [layer] }] }).length === 0
}

function pick(fields: Fields, names: readonly string[]): Fields {
  return Object.fromEntries(names.filter((name) => Object.hasOwn(fields, name)).map((name) => [name, fields[name]]))
}
