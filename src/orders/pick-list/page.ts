import type { SheetLayer } from '../../designs/index.ts'

/** ISO 216 A4 in millimetres, with margins that office printers can print. */
export const PAGE = { width: 210, height: 297, left: 15, right: 195, top: 14, bottom: 279 }

const INK = '#000000'
const GREY = '#555555'

export interface TextStyle {
  sizePt?: number
  weight?: 400 | 600 | 700
  color?: string
  align?: 'left' | 'right' | 'center'
}

/**
 * Creates a text in a box of the given width. Drawing does not cut the text at the initial height of 1 mm;
 * `textHeights` measures the height that it needs.
 */
export function text(
  value: string,
  { x, y, width }: { x: number; y: number; width: number },
  { sizePt = 9, weight = 400, color = INK, align = 'left' }: TextStyle = {},
): SheetLayer {
  return {
    ...{ id: 'text', type: 'text', x, y, width, height: 1 },
    ...{ text: value, fontFamily: 'Inter', fontSizePt: sizePt, fontWeight: weight, color, align, lineHeight: 1.3 },
  }
}

export const small: TextStyle = { sizePt: 8, color: GREY }

export function rule(y: number, widthMm = 0.2): SheetLayer {
  const stroke = { color: INK, widthMm }
  return { id: 'rule', type: 'shape', shape: 'line', x: PAGE.left, y, width: PAGE.right - PAGE.left, height: 0, stroke }
}

export function box({ x, y, width, height }: { x: number; y: number; width: number; height: number }): SheetLayer {
  const stroke = { color: INK, widthMm: 0.35 }
  return { id: 'box', type: 'shape', shape: 'rect', x, y, width, height, cornerRadius: 0.8, stroke }
}

export function moveDown(layer: SheetLayer, by: number): SheetLayer {
  return { ...layer, y: layer.y + by }
}
