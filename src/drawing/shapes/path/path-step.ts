/** A drawing step with absolute coordinates: all of SVG's commands come down to these four. */
export type PathStep =
  | { type: 'move'; x: number; y: number }
  | { type: 'line'; x: number; y: number }
  | { type: 'curve'; x1: number; y1: number; x2: number; y2: number; x: number; y: number }
  | { type: 'close' }
