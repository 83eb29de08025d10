import type { Ellipse } from '../shapes/ellipse.ts'
import type { Point, Rect } from '../shapes/geometry.ts'

/**
 * The outline of what a layer draws, in millimetres from the top left of the trim box: a convex polygon or an ellipse.
 */
export type Outline = { points: readonly Point[] } | { ellipse: Ellipse }

/**
 * The place where a layer ends inside the bleed. `reachMm` is the least distance beyond the trim edge. For a
 * rectangular area, `sides` has the distance on each side where the layer ends inside the bleed.
 */
export interface Shortfall {
  reachMm: number
  sides: ReadonlyMap<Side, number>
}

export type Side = 'left' | 'top' | 'right' | 'bottom'
export const SIDES: readonly Side[] = ['left', 'top', 'right', 'bottom']

/**
 * The shape along which a print area is cut. Lengths are in millimetres. Positions are from the top left of the trim
 * box.
 */
export interface TrimShape {
  bounds: Rect
  /** Tells whether an outline shares any area with the shape grown by `byMm`. Touching edges share none. */
  overlaps(outline: Outline, byMm: number): boolean
  /**
   * Returns how far inside the edge the outermost of the given points lies; negative if that point lies beyond the
   * edge.
   */
  inset(points: readonly Point[]): number
  /**
   * Finds the parts of an outline that end on the edge or in the bleed, less than `bleedMm` beyond the edge. The
   * outline must overlap the shape. Returns undefined if it ends in the bleed on no side.
   */
  shortfall(outline: Outline, bleedMm: number): Shortfall | undefined
  /**
   * Computes by how much to move points so that all of them lie `marginMm` inside the edge. Returns undefined if no
   * move along the axes or towards the centre achieves this.
   */
  moveInside(points: readonly Point[], marginMm: number): Point | undefined
  /** Returns a large rectangle in the middle of the shape that lies `marginMm` inside the edge everywhere. */
  room(marginMm: number): Rect
}
