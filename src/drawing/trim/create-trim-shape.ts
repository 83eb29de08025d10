import type { PrintArea } from '../document/design-document.ts'
import { ellipticTrim } from './trim-ellipse.ts'
import { rectangularTrim } from './trim-rectangle.ts'
import type { TrimShape } from './trim-shape.ts'

export function createTrimShape({ widthMm, heightMm, shape }: PrintArea): TrimShape {
  const bounds = { x: 0, y: 0, width: widthMm, height: heightMm }
  return shape === 'ellipse' ? ellipticTrim(bounds) : rectangularTrim(bounds)
}
