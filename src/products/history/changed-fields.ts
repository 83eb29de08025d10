import { isDeepStrictEqual } from 'node:util'
import { escapePointer } from '../../platform/http/input/strict-json.ts'
import type { Product } from '../schemas.ts'

/** A value that a change of a product has added, removed or replaced. */
export interface ChangedField {
  /** JSON Pointer into the product, in which entries of lists with ids are named by their ids. */
  pointer: string
  /** Absent if there was no value before. */
  before?: unknown
  /** Absent if there is no value any more. */
  after?: unknown
}

const VALUES = [
  'name',
  'description',
  'status',
  'currency',
  'outputProfileId',
  'options',
  'categories',
  'descriptionMarkdown',
  'sort',
] as const satisfies readonly (keyof Product)[]

/** Lists whose entries have ids, so that a change of one entry does not record all the others. */
const LISTS = ['printAreas', 'variants', 'images'] as const satisfies readonly (keyof Product)[]

type Entry = { id: string } & Record<string, unknown>

/** Returns the fields in which two versions of a product differ. Without an earlier version, these are all fields. */
export function changedFields(before: Product | undefined, after: Product): ChangedField[] {
  return [
    ...VALUES.flatMap((member) => fieldOf(`/${member}`, before?.[member], after[member])),
    ...LISTS.flatMap((member) =>
      entriesOf(`/${member}`, (before?.[member] ?? []) as unknown as Entry[], after[member] as unknown as Entry[]),
    ),
  ]
}

function fieldOf(pointer: string, before: unknown, after: unknown): ChangedField[] {
  if (isDeepStrictEqual(before, after)) return []
  return [{ pointer, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }]
}

function entriesOf(pointer: string, before: readonly Entry[], after: readonly Entry[]): ChangedField[] {
  const [old, present] = [byId(before), byId(after)]
  return [
    // The order of the entries that both versions have: the first image of a product is its main one.
    ...fieldOf(
      pointer,
      [...old.keys()].filter((id) => present.has(id)),
      [...present.keys()].filter((id) => old.has(id)),
    ),
    ...before.filter(({ id }) => !present.has(id)).map((entry) => ({ pointer: at(pointer, entry.id), before: entry })),
    ...after.flatMap((entry): ChangedField[] => {
      const known = old.get(entry.id)
      if (known === undefined) return [{ pointer: at(pointer, entry.id), after: entry }]
      const members = new Set([...Object.keys(known), ...Object.keys(entry)])
      return [...members].flatMap((member) => fieldOf(at(at(pointer, entry.id), member), known[member], entry[member]))
    }),
  ]
}

const byId = (entries: readonly Entry[]): Map<string, Entry> => new Map(entries.map((entry) => [entry.id, entry]))

const at = (pointer: string, member: string): string => `${pointer}/${escapePointer(member)}`
