/** A drawing step with absolute coordinates. All commands of SVG paths can be expressed by these four steps. */
export type PathStep =
  | { type: 'move'; x: number; y: number }
  | { type: 'line'; x: number; y: number }
  | { type: 'curve'; x1: number; y1: number; x2: number; y2: number; x: number; y: number }
  | { type: 'close' }
