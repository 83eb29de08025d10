import { normalizeLayer } from '@platen/drawing'
import type { EditorLayer } from '../document/layers.ts'

/** What a clipboard holds: layers of this editor, what claims to be layers of another one, or a text. */
export type Clip =
  | { kind: 'layers'; layers: EditorLayer[] }
  | { kind: 'unchecked'; values: readonly unknown[] }
  | { kind: 'text'; text: string }

export interface LayerClipboard {
  write(layers: readonly EditorLayer[]): Promise<void>
  /** Undefined if the clipboard is empty. */
  read(): Promise<Clip | undefined>
  /** Reads what a paste event brings. Layers that the system did not take come from memory. */
  accept(text: string): Clip | undefined
}

type SystemClipboard = Pick<Clipboard, 'readText' | 'writeText'>

/** @param system undefined in pages without a secure context, which only have the memory */
export function createClipboard(system: SystemClipboard | undefined = globalThis.navigator?.clipboard): LayerClipboard {
  let memory: string | undefined
  let own: readonly EditorLayer[] = []
  let isInSystem = false
  const accept = (text: string): Clip | undefined => {
    const latest = isInSystem || memory === undefined ? text : memory
    if (latest === memory) return { kind: 'layers', layers: copiesOf(own) }
    return latest === '' ? undefined : readClip(latest)
  }
  return {
    async write(layers) {
      memory = writeLayers(layers)
      own = layers
      isInSystem = false
      isInSystem = await (system?.writeText(memory).then(
        () => true,
        () => false,
      ) ?? false)
    },
    async read() {
      // The customer may have refused access, or the browser does not offer it.
      const text = await (system?.readText?.().catch(() => memory) ?? memory)
      return accept(text ?? memory ?? '')
    },
    accept,
  }
}

export function writeLayers(layers: readonly EditorLayer[]): string {
  return JSON.stringify({ platenLayers: 1, layers })
}

/** Reads a clip. Any page can fill the clipboard, so what looks like layers must be checked. */
export function readClip(text: string): Clip {
  const values = text.startsWith(MARK) ? parseLayers(text) : undefined
  return values === undefined ? { kind: 'text', text } : { kind: 'unchecked', values }
}

/** How a clip of layers begins. */
const MARK = '{"platenLayers":1,'

function parseLayers(json: string): readonly unknown[] | undefined {
  try {
    const { layers } = JSON.parse(json) as { layers?: unknown }
    return Array.isArray(layers) && layers.length > 0 ? layers : undefined
  } catch {
    return undefined
  }
}

/** Returns copies of layers from a clip. Undefined if the service would refuse them. */
export async function checkedLayers(values: readonly unknown[]): Promise<EditorLayer[] | undefined> {
  // The check needs the schema of the document, which few customers need.
  const { isValidDocument } = await import('../document/valid-document.ts')
  const document: unknown = { version: 1, placements: [{ printAreaId: 'clip', layers: values }] }
  return isValidDocument(document) ? copiesOf(document.placements[0]?.layers ?? []) : undefined
}

/** A copy belongs to the customer, so it has no locks. */
function copiesOf(layers: readonly EditorLayer[]): EditorLayer[] {
  return layers.map((layer) => {
    const { lock: _, ...copy } = normalizeLayer(layer)
    return copy as EditorLayer
  })
}
