import type { Pen } from './scene.ts'

export const INK = '#22304a'
export const CREAM = '#fbf6ec'
export const CORAL = '#e2694b'
export const OCHRE = '#eab04f'
export const TEAL = '#2f7d78'

export interface Size {
  width: number
  height: number
}

/** Paints a sunrise over hills from the top left corner of the pen. The caller clips it. */
export function paintHills(pen: Pen, { width, height }: Size): void {
  const sky = pen.createLinearGradient(0, 0, 0, height * 0.75)
  sky.addColorStop(0, '#f6cfa4')
  sky.addColorStop(1, '#fdeed8')
  pen.fillStyle = sky
  pen.fillRect(0, 0, width, height)
  disc(pen, { x: width * 0.77, y: height * 0.42, radius: height * 0.17, color: CORAL })
  const hills = [
    { color: '#e9a877', base: 0.56, swing: 0.1, waves: 1.3, shift: 0.4 },
    { color: '#c9785f', base: 0.66, swing: 0.09, waves: 1.1, shift: 2.2 },
    { color: '#4f6f78', base: 0.77, swing: 0.07, waves: 1.6, shift: 4.1 },
    { color: INK, base: 0.89, swing: 0.05, waves: 1.2, shift: 0.9 },
  ]
  for (const hill of hills) paintHill(pen, { width, height }, hill)
}

interface Hill {
  color: string
  base: number
  swing: number
  waves: number
  shift: number
}

function paintHill(pen: Pen, { width, height }: Size, { color, base, swing, waves, shift }: Hill): void {
  pen.fillStyle = color
  pen.beginPath()
  pen.moveTo(0, height)
  for (let x = 0; x <= width; x += 4) {
    const angle = (x / width) * Math.PI * 2 * waves + shift
    pen.lineTo(x, height * (base + swing * (0.7 * Math.sin(angle) + 0.3 * Math.sin(angle * 2.3))))
  }
  pen.lineTo(width, height)
  pen.fill()
}

export function disc(pen: Pen, { x, y, radius, color }: { x: number; y: number; radius: number; color: string }): void {
  pen.fillStyle = color
  pen.beginPath()
  pen.arc(x, y, radius, 0, Math.PI * 2)
  pen.fill()
}

/** Paints the mark of an invented studio: a sun behind a leaf. */
export function paintMark(pen: Pen, { radius, sun, leaf }: { radius: number; sun: string; leaf: string }): void {
  disc(pen, { x: radius * 0.28, y: -radius * 0.28, radius: radius * 0.72, color: sun })
  pen.fillStyle = leaf
  pen.beginPath()
  pen.moveTo(-radius, radius)
  pen.quadraticCurveTo(-radius, -radius * 0.35, radius * 0.35, -radius * 0.35)
  pen.quadraticCurveTo(radius * 0.35, radius, -radius, radius)
  pen.fill()
}

/** Paints quarter circles and discs in squares, from the top left corner of the pen. */
export function paintTiles(pen: Pen, { columns, rows, side }: { columns: number; rows: number; side: number }): void {
  const colors = [CORAL, INK, OCHRE, TEAL, '#f3d9b8']
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const pick = (column * 7 + row * 5 + column * row * 3) % colors.length
      const [ground = CREAM, figure = INK] = [colors[(pick + 4) % colors.length], colors[pick]]
      pen.save()
      pen.translate(column * side, row * side)
      pen.fillStyle = ground
      pen.fillRect(0, 0, side + 1, side + 1)
      paintTile(pen, { side, figure, form: (column * 3 + row * 2 + column * row) % 5 })
      pen.restore()
    }
  }
}

function paintTile(pen: Pen, { side, figure, form }: { side: number; figure: string; form: number }): void {
  if (form === 4) {
    disc(pen, { x: side / 2, y: side / 2, radius: side * 0.32, color: figure })
    return
  }
  pen.translate(side / 2, side / 2)
  pen.rotate((form * Math.PI) / 2)
  pen.fillStyle = figure
  pen.beginPath()
  pen.moveTo(-side / 2, -side / 2)
  pen.arc(-side / 2, -side / 2, side, 0, Math.PI / 2)
  pen.fill()
}
