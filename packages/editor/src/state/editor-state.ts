import type { Asset, Design, Product } from '@platen/client'
import type { DesignDocument, PlaceholderData, PreflightReport } from '@platen/drawing'

/** What is typed into. Offsets count UTF-16 units of `text`. */
export interface TextEditing {
  kind: 'text'
  layerId: string
  anchor: number
  focus: number
}

/** An image is moved inside its frame. */
export interface CropEditing {
  kind: 'crop'
  layerId: string
}

export type SaveState =
  | { kind: 'saved' }
  | { kind: 'unsaved' }
  | { kind: 'saving' }
  /** The service cannot be reached; the changes are kept on this device. */
  | { kind: 'offline' }
  /** The service refuses the changes; the customer must act. */
  | { kind: 'refused'; code: string; detail: string; pointer?: string }
  /** The session has ended; the changes are kept on this device. */
  | { kind: 'signed_out' }

/** The design without its document. */
export type DesignInfo = Pick<Design, 'id' | 'name' | 'productId' | 'variantId' | 'status' | 'revision' | 'templateId'>

export interface View {
  /** CSS pixels per millimetre. */
  pxPerMm: number
  /** The top left of the trim box in the stage, in CSS pixels. */
  xPx: number
  yPx: number
}

/** The state of an editor. Immutable: each change creates a new object and keeps the parts that stay. */
export interface EditorState {
  design: DesignInfo
  product: Product
  /** Normalized. */
  document: DesignDocument
  /** The shown print area. */
  printAreaId: string
  /** Ids of layers on the shown print area. */
  selection: readonly string[]
  editing: TextEditing | CropEditing | undefined
  /** Undefined until the stage has its size. */
  view: View | undefined
  assets: ReadonlyMap<string, Asset>
  /** Values of placeholders for the preview. They are no part of the design, because each item of an order has its own. */
  data: PlaceholderData
  /** Of the present document; undefined until the fonts have arrived. */
  report: PreflightReport | undefined
  save: SaveState
  canUndo: boolean
  canRedo: boolean
  /** Whether the design can be changed: a draft. */
  isEditable: boolean
  /** Whether the service draws the print file at the moment. */
  isFinalizing: boolean
  snaps: boolean
}
