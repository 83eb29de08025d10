import { normalizeLayer } from '@platen/drawing'
import type { EditorLayer } from '../document/layers.ts'

/** What a clipboard holds: layers of this editor, or a text from elsewhere. */
export type Clip = { kind: 'layers'; layers: EditorLayer[] } | { kind: 'text'; text: string }

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
  let isInSystem = false
  const accept = (text: string): Clip | undefined => {
    const latest = isInSystem || memory === undefined ? text : memory
    return latest === '' ? undefined : readClip(latest)
  }
  return {
    async write(layers) {
      memory = writeLayers(layers)
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

/** Reads a clip. A text that only looks like layers stays a text, because any page can fill the clipboard. */
export function readClip(text: string): Clip {
  if (text.startsWith('{"platenLayers":1,')) {
    const layers = parseLayers(text)
    if (layers !== undefined) return { kind: 'layers', layers }
  }
  return { kind: 'text', text }
}

function parseLayers(json: string): EditorLayer[] | undefined {
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return undefined
  }
  const layers = (value as { layers?: unknown }).layers
  if (!Array.isArray(layers) || layers.length === 0 || !layers.every(isLayer)) return undefined
  return layers.map(copyOf)
}

/** A copy belongs to the customer, so it has no locks. */
function copyOf(layer: EditorLayer): EditorLayer {
  const { lock: _, ...copy } = normalizeLayer(layer)
  return copy as EditorLayer
}

type Kind = 'string' | 'number' | 'boolean' | 'object'

const BASE: Readonly<Record<string, Kind>> = {
  id: 'string',
  x: 'number',
  y: 'number',
  width: 'number',
  height: 'number',
}

/** The kinds of the fields that must be there. */
const REQUIRED: Readonly<Record<EditorLayer['type'], Readonly<Record<string, Kind>>>> = {
  text: { text: 'string', fontFamily: 'string', fontSizePt: 'number' },
  image: { assetId: 'string' },
  shape: { shape: 'string' },
  qr: { value: 'string' },
}

const OPTIONAL: Readonly<Record<string, Kind>> = {
  name: 'string',
  group: 'string',
  hiddenOpacity: 'number',
  rotation: 'number',
  opacity: 'number',
  fontWeight: 'number',
  fontStyle: 'string',
  color: 'string',
  align: 'string',
  verticalAlign: 'string',
  lineHeight: 'number',
  letterSpacing: 'number',
  fit: 'string',
  crop: 'object',
  flipX: 'boolean',
  flipY: 'boolean',
  cornerRadius: 'number',
  path: 'string',
  fill: 'string',
  stroke: 'object',
  errorCorrection: 'string',
  background: 'string',
}

function isLayer(value: unknown): value is EditorLayer {
  if (typeof value !== 'object' || value === null) return false
  const fields = value as Record<string, unknown>
  const type = fields['type']
  if (typeof type !== 'string' || !Object.hasOwn(REQUIRED, type)) return false
  const required = { ...BASE, ...REQUIRED[type as EditorLayer['type']] }
  return (
    Object.entries(required).every(([name, kind]) => isOfKind(fields[name], kind)) &&
    Object.entries(OPTIONAL).every(([name, kind]) => fields[name] === undefined || isOfKind(fields[name], kind))
  )
}

function isOfKind(value: unknown, kind: Kind): boolean {
  return typeof value === kind && value !== null
}
