import type { DesignDocument, Layer } from './document.ts'

/** Values for placeholders by name, as an order item carries them. */
export type PlaceholderData = Readonly<Record<string, string>>

// Two braces, a name, two braces. Anything else in braces is ordinary text.
const PLACEHOLDER = /\{\{\s*([A-Za-z0-9_.-]{1,64})\s*\}\}/g

/** The names of the `{{placeholders}}` in a document's texts and QR values, each once, in order of appearance. */
export function listPlaceholders(document: DesignDocument): string[] {
  const names = new Set<string>()
  for (const { layers } of document.placements) {
    for (const layer of layers) {
      for (const match of templateOf(layer).matchAll(PLACEHOLDER)) {
        if (match[1] !== undefined) names.add(match[1])
      }
    }
  }
  return [...names]
}

/** Replaces the placeholders that `data` has a value for; the others stay as they stand. */
export function fillPlaceholders(template: string, data: PlaceholderData | undefined): string {
  if (data === undefined) return template
  return template.replaceAll(PLACEHOLDER, (whole, name: string) =>
    Object.hasOwn(data, name) ? (data[name] ?? whole) : whole,
  )
}

function templateOf(layer: Layer): string {
  if (layer.type === 'text') return layer.text
  if (layer.type === 'qr') return layer.value
  return ''
}
