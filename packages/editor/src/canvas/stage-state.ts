import type { Rect } from '@platen/drawing'
import type { Guide } from '../document/geometry/snap.ts'

/** What the stage shows during a gesture, besides the document. */
export interface StageState {
  guides: readonly Guide[]
  /** The rectangle in which layers become selected, in millimetres. */
  marquee: Rect | undefined
  /** Layers that move. The painter keeps a picture of the others. */
  moving: readonly string[]
  /** A size, angle or position beside the pointer. */
  readout: string | undefined
}

export const RESTING: StageState = { guides: [], marquee: undefined, moving: [], readout: undefined }
