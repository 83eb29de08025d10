import type { DesignDocument } from './design-document.ts'
import { definitionOf, type Layer, type LayerInput } from './layer-types.ts'

/** Values of placeholders by name, as in an order item. */
export type PlaceholderData = Readonly<Record<string, string>>

/**
 * A placeholder is two braces, a name and two braces. A name has at most 64 letters, marks and digits of any script,
 * `_`, `.` and `-`, with single spaces between them. All other text in braces is ordinary text, and so are the names
 * that JSON bodies may not contain, such as `__proto__`.
 */
const PLACEHOLDER =
  /\{\{\s*(?!(?:__proto__|constructor|prototype)\s*\})([\p{L}\p{M}\p{Nd}_.-](?:[\p{L}\p{M}\p{Nd}_.-]| (?=[^\s}])){0,63})\s*\}\}/gu

/**
 * Lists the names of the `{{placeholders}}` in the texts and QR values of a document, each once, in order of
 * appearance.
 */
export function listPlaceholders(document: DesignDocument): string[] {
  return [...new Set(document.placements.flatMap(({ layers }) => layers.flatMap(placeholdersOf)))]
}

/** Lists the names of the placeholders of one layer, each once. */
export function placeholdersOf(layer: Layer): string[] {
  return [...new Set(Array.from(contentOf(layer).matchAll(PLACEHOLDER), ([, name = '']) => name))]
}

/**
 * Computes the length of the filled text or QR value of a layer in UTF-16 units. The function does not create the text,
 * because a short text that names a placeholder a thousand times may become very long.
 */
export function filledLength(layer: Layer, data: PlaceholderData): number {
  const template = contentOf(layer)
  let length = template.length
  for (const [whole, name = ''] of template.matchAll(PLACEHOLDER)) {
    if (Object.hasOwn(data, name)) length += (data[name] ?? whole).length - whole.length
  }
  return length
}

/** Replaces the placeholders that have a value in `data`. Other placeholders stay unchanged. */
export function fillPlaceholders(template: string, data: PlaceholderData | undefined): string {
  if (data === undefined) return template
  return template.replaceAll(PLACEHOLDER, (whole, name: string) =>
    Object.hasOwn(data, name) ? (data[name] ?? whole) : whole,
  )
}

/** Returns the text of a layer with its placeholders. Returns an empty text for a type of layer without text. */
export function contentOf(layer: LayerInput): string {
  const { content } = definitionOf(layer)
  return content === undefined ? '' : String((layer as unknown as Record<string, unknown>)[content.field])
}
