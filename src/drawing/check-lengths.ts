import type { IssueCode } from './checks/issue.ts'
import type { DesignDocument } from './document/design-document.ts'
import type { FillableText } from './document/layer-definition.ts'
import { definitionOf, type Layer } from './document/layer-types.ts'
import { filledLength, type PlaceholderData, placeholdersOf } from './document/placeholders.ts'
import { DOCUMENT_LIMITS } from './document/schema/limits.ts'

/** A reason why a document cannot be printed with the given placeholder values. `name` is the placeholder at fault. */
export interface ValueFault {
  name: string
  code: IssueCode
  message: string
  /** JSON Pointer of the layer in the document. */
  layer: string
  measured?: number
  limit?: number
  unit?: string
}

export interface FillableLayer {
  printAreaId: string
  pointer: string
  layer: Layer
  names: string[]
  content: FillableText
}

export function fillableLayers({ placements }: DesignDocument): FillableLayer[] {
  return placements.flatMap(({ printAreaId, layers }, p) =>
    layers.flatMap((layer, l) => {
      const names = placeholdersOf(layer)
      const { content } = definitionOf(layer)
      if (content === undefined || names.length === 0) return []
      return [{ printAreaId, pointer: `/placements/${p}/layers/${l}`, layer, names, content }]
    }),
  )
}

/**
 * Checks whether values make texts or QR values longer than the limits of a document. The check does not lay out text.
 *
 * @param values of placeholders by name. A placeholder without a value counts with the length of its name and braces
 */
export function checkLengths(document: DesignDocument, values: PlaceholderData): ValueFault[] {
  let left: number = DOCUMENT_LIMITS.totalTextLength
  return fillableLayers(document).flatMap(({ layer, names, pointer, content }) => {
    const measured = filledLength(layer, values)
    const limit = Math.min(content.maxLength, left)
    left = Math.max(0, left - measured)
    if (measured <= limit) return []
    const exceedsOwn = limit === content.maxLength
    const code = exceedsOwn ? content.tooLongCode : 'too_much_text'
    const message = exceedsOwn
      ? `The ${content.name} becomes ${measured} characters long; the limit is ${limit}.`
      : `The texts and QR values together become longer than ${DOCUMENT_LIMITS.totalTextLength} characters.`
    return [{ name: longest(names, values), code, message, layer: pointer, measured, limit }]
  })
}

function longest(names: readonly string[], values: PlaceholderData): string {
  const lengthOf = (name: string) => values[name]?.length ?? 0
  return names.reduce((longest, name) => (lengthOf(name) > lengthOf(longest) ? name : longest))
}
