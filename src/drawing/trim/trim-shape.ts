import type { Ellipse } from '../shapes/ellipse.ts'
import type { Point, Rect } from '../shapes/geometry.ts'

/** What a layer may draw on, in millimetres from the trim box's top left: a convex polygon or an ellipse. */
export type Outline = { points: readonly Point[] } | { ellipse: Ellipse }

/** Where a layer ends in the bleed: how far beyond the trim edge at least, and, of a rectangle, on which sides. */
export interface Shortfall {
  reachMm: number
  sides: ReadonlyMap<Side, number>
}

export type Side = 'left' | 'top' | 'right' | 'bottom'
export const SIDES: readonly Side[] = ['left', 'top', 'right', 'bottom']

/** The shape that a print area is cut to. Lengths are millimetres, positions from the trim box's top left. */
export interface TrimShape {
  bounds: Rect
  /** Whether an outline shares any area with the shape grown by `byMm`; touching edges share none. */
  overlaps(outline: Outline, byMm: number): boolean
  /** How far inside the edge the outermost of some points lies; negative beyond it. */
  inset(points: readonly Point[]): number
  /** Where an outline that overlaps the shape ends on the edge or beyond, but before `bleedMm`; undefined if nowhere. */
  shortfall(outline: Outline, bleedMm: number): Shortfall | undefined
  /** By how much to move points so that all are `marginMm` inside; undefined where a simple move does not do it. */
  moveInside(points: readonly Point[], marginMm: number): Point | undefined
  /** A large rectangle in the middle that lies `marginMm` inside throughout. */
  room(marginMm: number): Rect
}
