import type { DesignContent } from '../saving-types.ts'
import { mergeDocuments } from './merge-documents.ts'
import type { ConflictChoice, FieldConflict, LayerNotice, MergeConflict } from './merge-types.ts'
import { sameValue } from './same-value.ts'

export interface MergedContent {
  content: DesignContent
  conflicts: readonly MergeConflict[]
  notices: readonly LayerNotice[]
  hasKeptOrder: boolean
}

/**
 * Merges two changes of a design: its name, its variant and its document. Where both sides exclude each other, the
 * content has the own value, unless there is a choice.
 *
 * @param choices by id of the conflict
 */
export function mergeContents(
  base: DesignContent,
  mine: DesignContent,
  theirs: DesignContent,
  choices: ReadonlyMap<string, ConflictChoice> = new Map(),
): MergedContent {
  const fieldConflicts: FieldConflict[] = []
  const mergeField = (field: 'name' | 'variantId'): string => {
    if (mine[field] === base[field] || mine[field] === theirs[field]) return theirs[field]
    if (theirs[field] === base[field]) return mine[field]
    const id = `/${field}` as const
    fieldConflicts.push({ kind: 'field', id, mine: mine[field], theirs: theirs[field] })
    return choices.get(id) === 'theirs' ? theirs[field] : mine[field]
  }
  const fields = { name: mergeField('name'), variantId: mergeField('variantId') }
  const { document, conflicts, notices, hasKeptOrder } = mergeDocuments(base.document, mine.document, theirs.document, {
    choices,
  })
  return { content: { ...fields, document }, conflicts: [...fieldConflicts, ...conflicts], notices, hasKeptOrder }
}

/** Tells whether two contents are the same for the service. */
export function sameContent(one: DesignContent, other: DesignContent): boolean {
  return one.name === other.name && one.variantId === other.variantId && sameValue(one.document, other.document)
}
