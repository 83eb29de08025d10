import type { PlaceholderData } from '@platen/drawing'
import type { Engine, PageImage } from '../engine/index.ts'

export type ZoomChange = 'in' | 'out' | 'fit' | 'actual'

/** What the panels use of the engine. */
export type PanelEngine = Pick<Engine, 'fonts' | 'drawPlacement' | 'layoutOf'>

/** What the element offers its panels. */
export interface EditorHost {
  /** Undefined until it is loaded. */
  engine(): PanelEngine | undefined
  /** Calls the listener when the engine is loaded. Returns a function that ends the subscription. */
  onEngine(listener: () => void): () => void
  /** The pictures of the assets, by asset id. */
  images(): ReadonlyMap<string, PageImage>
  zoom(change: ZoomChange): void
  /** Saves, finalizes and shows the result. */
  finalize(): void
  /** Whether the page does something with the items of a file. */
  takesItems(): boolean
  /** Gives the page the values of many items, for the `items` of a quote. */
  takeItems(items: readonly PlaceholderData[]): void
}
