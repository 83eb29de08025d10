import { isDeepStrictEqual } from 'node:util'
import { escapePointer } from '../platform/http/input/strict-json.ts'

/** A value that a change has added, removed or replaced. */
export interface ChangedField {
  /** JSON Pointer into what changed, in which entries of lists are named as their `RecordedMembers` say. */
  pointer: string
  /** Absent if there was no value before. */
  before?: unknown
  /** Absent if there is no value any more. */
  after?: unknown
}

/** Which members of a record are recorded, and how. */
export interface RecordedMembers<Subject> {
  /** Members that are recorded as a whole. */
  values: readonly (keyof Subject & string)[]
  /**
   * Lists of objects, so that a change of one entry does not record all the others. The function names an entry, and
   * equal names in two versions are the same entry.
   */
  lists?: { readonly [Member in keyof Subject & string]?: (entry: EntryOf<Subject[Member]>, index: number) => string }
}

type EntryOf<List> = List extends readonly (infer Entry)[] ? Entry : never

type Entry = Readonly<Record<string, unknown>>
type NameOf = (entry: Entry, index: number) => string

/**
 * Returns the fields in which two versions of a record differ. Without an earlier or a later version, these are all
 * fields.
 */
export function changedFields<Subject extends object>(
  { values, lists = {} }: RecordedMembers<Subject>,
  before: Subject | undefined,
  after: Subject | undefined,
): ChangedField[] {
  return [
    ...values.flatMap((member) => fieldOf(`/${member}`, before?.[member], after?.[member])),
    ...Object.entries(lists).flatMap(([member, nameOf]) => {
      const entriesOf = (version: Subject | undefined) =>
        named((version?.[member as keyof Subject] ?? []) as readonly Entry[], nameOf as NameOf)
      return changedEntries(`/${member}`, entriesOf(before), entriesOf(after))
    }),
  ]
}

function fieldOf(pointer: string, before: unknown, after: unknown): ChangedField[] {
  if (isDeepStrictEqual(before, after)) return []
  return [{ pointer, ...(before === undefined ? {} : { before }), ...(after === undefined ? {} : { after }) }]
}

function named(entries: readonly Entry[], nameOf: NameOf): Map<string, Entry> {
  return new Map(entries.map((entry, index) => [nameOf(entry, index), entry]))
}

function changedEntries(
  pointer: string,
  before: ReadonlyMap<string, Entry>,
  after: ReadonlyMap<string, Entry>,
): ChangedField[] {
  return [
    // The order of the entries that both versions have: the first image of a product is its main one.
    ...fieldOf(
      pointer,
      [...before.keys()].filter((name) => after.has(name)),
      [...after.keys()].filter((name) => before.has(name)),
    ),
    ...[...before].flatMap(([name, entry]) => (after.has(name) ? [] : [{ pointer: at(pointer, name), before: entry }])),
    ...[...after].flatMap(([name, entry]): ChangedField[] => {
      const known = before.get(name)
      if (known === undefined) return [{ pointer: at(pointer, name), after: entry }]
      const members = new Set([...Object.keys(known), ...Object.keys(entry)])
      return [...members].flatMap((member) => fieldOf(at(at(pointer, name), member), known[member], entry[member]))
    }),
  ]
}

const at = (pointer: string, member: string): string => `${pointer}/${escapePointer(member)}`
