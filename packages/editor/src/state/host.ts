import type { Asset } from '@platen/client'
import type { PlaceholderData } from '@platen/drawing'
import type { Engine, PageImage } from '../engine/index.ts'

export type ZoomChange = 'in' | 'out' | 'fit' | 'actual'

/** What the panels use of the engine. */
export type PanelEngine = Pick<Engine, 'fonts' | 'drawPlacement' | 'layoutOf'>

/** The pictures of assets. */
export interface ShownImages {
  /** By asset id. The same object until the pictures change. */
  current(): ReadonlyMap<string, PageImage>
  /** Calls the listener when a picture arrives. Returns a function that ends the subscription. */
  onChange(listener: () => void): () => void
  /**
   * Loads the pictures that a view shows, and does not free them until the view shows others, or none.
   *
   * @param assets the most important ones first
   */
  show(view: object, assets: readonly Asset[]): void
}

/** What the page that embeds the editor has declared. */
export interface PageOptions {
  /** Whether the page handles the event `items`. */
  takesItems(): boolean
  /** Colours of the shop, as `#RRGGBB`. Without some, the editor offers its own. */
  palette(): readonly string[]
}

/** What the element offers its panels. */
export interface EditorHost extends PageOptions {
  /** Undefined until it is loaded. */
  engine(): PanelEngine | undefined
  /** Calls the listener when the engine is loaded. Returns a function that ends the subscription. */
  onEngine(listener: () => void): () => void
  images: ShownImages
  zoom(change: ZoomChange): void
  /** Saves, finalizes and shows the result. */
  finalize(): void
  /** Gives the page the values of many items, for the `items` of a quote. */
  takeItems(items: readonly PlaceholderData[]): void
}
