import { loadFonts } from '../rendering/installed-fonts/fonts.ts'
import { checkDashes } from './check-dashes.ts'
import { checkDocument, type DocumentProblem } from './document/check-document.ts'
import type { DesignDocument, PrintArea } from './document/design-document.ts'
import type { ImageLayer } from './document/image-layer.ts'
import type { Layer, LayerInput } from './document/layer-types.ts'
import { normalizeLayer } from './document/normalize.ts'
import type { QrLayer } from './document/qr-layer.ts'
import type { ShapeLayer } from './document/shape-layer.ts'
import type { TextLayer } from './document/text-layer.ts'

/** Test data: the installed fonts, an A6 card, and layers with defaults for all fields that a test does not set. */
export const installed = loadFonts()
export const fonts = installed.book

export const a6: PrintArea = {
  id: 'front',
  name: 'Front',
  widthMm: 105,
  heightMm: 148,
  bleedMm: 3,
  safeMarginMm: 4,
  targetDpi: 300,
  required: true,
}

const inside = { x: 20, y: 20, width: 40, height: 30 }

export function textLayer(fields: Partial<TextLayer> = {}): TextLayer {
  return layer({ id: 'text', type: 'text', ...inside, text: 'Hello', fontFamily: 'Inter', fontSizePt: 12, ...fields })
}

export function imageLayer(fields: Partial<ImageLayer> = {}): ImageLayer {
  return layer({ id: 'image', type: 'image', ...inside, assetId: 'photo', ...fields })
}

export function shapeLayer(fields: Partial<ShapeLayer> = {}): ShapeLayer {
  return layer({ id: 'shape', type: 'shape', ...inside, shape: 'rect', fill: '#336699', ...fields })
}

export function qrLayer(fields: Partial<QrLayer> = {}): QrLayer {
  return layer({ id: 'qr', type: 'qr', ...inside, value: 'https://example.org', ...fields })
}

function layer<Kind extends Layer>(input: LayerInput & { type: Kind['type'] }): Kind {
  return normalizeLayer(input) as Kind
}

/** Returns a document with the given layers on the A6 card. */
export function documentOf(...layers: Layer[]): DesignDocument {
  return { version: 1, placements: [{ printAreaId: a6.id, layers }] }
}

/** Finds all faults of a document that its schema cannot rule out. */
export function faultsOf(document: DesignDocument): DocumentProblem[] {
  return [...checkDocument(document), ...checkDashes(document)]
}
