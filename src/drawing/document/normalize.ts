import type {
  DesignDocument,
  DesignDocumentInput,
  ImageLayer,
  Layer,
  LayerInput,
  QrLayer,
  ShapeLayer,
  TextLayer,
} from './design-document.ts'
import { unknownLayer } from './layer-type.ts'

/** Lengths have three decimals, a micrometre. A number this near to one with three is float noise and is rounded. */
export const LENGTH_NOISE = 1e-6

/** The nearest length with at most three decimals; NaN and infinities stay what they are. */
export function roundLength(mm: number): number {
  // The sum turns -0, which JSON cannot tell from 0, into 0.
  return Math.round(mm * 1000) / 1000 + 0
}

/**
 * Fills the defaults of a valid document and rounds float noise off its lengths. Pure and idempotent; the result
 * is what is stored. Schema validators do not apply defaults inside `oneOf`, so this does not rely on them.
 */
export function normalizeDocument(document: DesignDocumentInput | DesignDocument): DesignDocument {
  return {
    version: 1,
    placements: document.placements.map(({ printAreaId, layers }) => ({
      printAreaId,
      layers: layers.map(normalizeLayer),
    })),
  }
}

/** Fills the defaults of one layer. */
export function normalizeLayer(layer: LayerInput): Layer {
  switch (layer.type) {
    case 'text':
      return normalizeText(layer)
    case 'image':
      return normalizeImage(layer)
    case 'shape':
      return normalizeShape(layer)
    case 'qr':
      return normalizeQr(layer)
    default:
      return unknownLayer(layer)
  }
}

function common<Type extends LayerInput['type']>(layer: LayerInput & { type: Type }) {
  return {
    id: layer.id,
    type: layer.type as Type,
    x: clean(layer.x),
    y: clean(layer.y),
    width: clean(layer.width),
    height: clean(layer.height),
    rotation: layer.rotation ?? 0,
    opacity: layer.opacity ?? 1,
  }
}

function normalizeText(layer: LayerInput & { type: 'text' }): TextLayer {
  return {
    ...common(layer),
    text: layer.text,
    fontFamily: layer.fontFamily,
    fontWeight: layer.fontWeight ?? 400,
    fontStyle: layer.fontStyle ?? 'normal',
    fontSizePt: layer.fontSizePt,
    color: layer.color ?? '#000000',
    align: layer.align ?? 'left',
    verticalAlign: layer.verticalAlign ?? 'top',
    lineHeight: layer.lineHeight ?? 1.2,
    letterSpacing: layer.letterSpacing ?? 0,
  }
}

function normalizeImage(layer: LayerInput & { type: 'image' }): ImageLayer {
  return {
    ...common(layer),
    assetId: layer.assetId,
    fit: layer.fit ?? 'cover',
    ...(layer.crop === undefined ? {} : { crop: { ...layer.crop } }),
    flipX: layer.flipX ?? false,
    flipY: layer.flipY ?? false,
  }
}

function normalizeShape(layer: LayerInput & { type: 'shape' }): ShapeLayer {
  const { cornerRadius, path, fill, stroke } = layer
  return {
    ...common(layer),
    shape: layer.shape,
    ...(cornerRadius === undefined ? {} : { cornerRadius: clean(cornerRadius) }),
    ...(path === undefined ? {} : { path }),
    ...(fill === undefined ? {} : { fill }),
    ...(stroke === undefined ? {} : { stroke: normalizeStroke(stroke) }),
  }
}

function normalizeStroke(stroke: NonNullable<ShapeLayer['stroke']>): NonNullable<ShapeLayer['stroke']> {
  return {
    color: stroke.color,
    widthMm: clean(stroke.widthMm),
    ...(stroke.dashMm === undefined ? {} : { dashMm: stroke.dashMm.map(clean) }),
  }
}

function normalizeQr(layer: LayerInput & { type: 'qr' }): QrLayer {
  return {
    ...common(layer),
    value: layer.value,
    errorCorrection: layer.errorCorrection ?? 'M',
    color: layer.color ?? '#000000',
    background: layer.background ?? '#FFFFFF',
  }
}

function clean(mm: number): number {
  const rounded = roundLength(mm)
  return Math.abs(rounded - mm) <= LENGTH_NOISE ? rounded : mm
}
