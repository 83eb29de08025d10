import type { Layer } from './layer-types.ts'

export type { DesignDocumentInput, PrintArea } from './schema/design-document.ts'

export type Placement = { printAreaId: string; layers: Layer[] }

/** A normalized document: the form that is stored, checked and drawn. */
export type DesignDocument = { version: 1; placements: Placement[] }

/** The size of an image in pixels, after its EXIF orientation is applied. */
export interface AssetSize {
  widthPx: number
  heightPx: number
}
