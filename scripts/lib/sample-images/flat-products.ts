import type { Canvas } from '@napi-rs/canvas'
import { CREAM, INK, OCHRE, paintHills, paintMark, paintTiles } from './art.ts'
import { at, drawScene, fillLifted, type Pen, sheen, sheetPath, text } from './scene.ts'

export function drawBusinessCard(): Canvas {
  return drawScene('#f8efe2', '#dccbb4', (pen) => {
    at(pen, { x: 700, y: 355, degrees: 9 }, () => card(pen, CREAM, () => paintContact(pen)))
    at(pen, { x: 480, y: 545, degrees: -7 }, () => card(pen, INK, () => paintBrand(pen)))
  })
}

const CARD = { width: 595, height: 385 }

function card(pen: Pen, color: string, print: () => void): void {
  const path = sheetPath(pen, CARD.width, CARD.height)
  fillLifted(pen, path, color)
  print()
  sheen(pen, path, CARD)
}

function paintBrand(pen: Pen): void {
  at(pen, { x: 0, y: -48 }, () => paintMark(pen, { radius: 56, sun: OCHRE, leaf: '#e7ddc9' }))
  text(pen, 'NORDLICHT', { x: 5, y: 82, font: '34px Inter', color: CREAM, align: 'center', spacing: 11 })
  text(pen, 'ARCHITECTURE STUDIO', { x: 3, y: 118, font: '15px Inter', color: '#b9bfcc', align: 'center', spacing: 5 })
}

function paintContact(pen: Pen): void {
  const lines = ['Lindenstraße 12, 10969 Berlin', '+49 30 5550 148', 'ada@nordlicht.example']
  text(pen, 'Ada Lindqvist', { x: -248, y: -95, font: '44px Playfair', color: INK })
  text(pen, 'ARCHITECT', { x: -246, y: -58, font: '15px Inter', color: '#a4713a', spacing: 5 })
  for (const [line, words] of lines.entries()) {
    text(pen, words, { x: -246, y: 84 + line * 31, font: '19px Inter', color: '#4b5568' })
  }
  at(pen, { x: 220, y: -118 }, () => paintMark(pen, { radius: 30, sun: OCHRE, leaf: INK }))
}

const POSTCARD = { width: 700, height: 497 }

export function drawPostcard(): Canvas {
  return drawScene('#eef3f0', '#c4d3cf', (pen) => {
    at(pen, { x: 690, y: 385, degrees: 8 }, () => {
      fillLifted(pen, sheetPath(pen, POSTCARD.width, POSTCARD.height), CREAM)
      paintAddressSide(pen)
    })
    at(pen, { x: 530, y: 500, degrees: -6 }, () => paintPictureSide(pen))
  })
}

function paintPictureSide(pen: Pen): void {
  const { width, height } = POSTCARD
  const border = 26
  const path = sheetPath(pen, width, height)
  fillLifted(pen, path, '#fffdf8')
  at(pen, { x: -width / 2 + border, y: -height / 2 + border }, () => {
    pen.beginPath()
    pen.rect(0, 0, width - 2 * border, height - 2 * border)
    pen.clip()
    paintHills(pen, { width: width - 2 * border, height: height - 2 * border })
    text(pen, 'Greetings from the', { x: 42, y: 70, font: '26px Playfair Italic', color: INK })
    text(pen, 'Highlands', { x: 38, y: 140, font: '68px Playfair', color: INK })
  })
  sheen(pen, path, POSTCARD)
}

function paintAddressSide(pen: Pen): void {
  pen.strokeStyle = '#c9bfae'
  pen.lineWidth = 2
  for (const y of [20, 75, 130, 185]) line(pen, [60, y], [300, y])
  line(pen, [20, -200], [20, 205])
  pen.fillStyle = '#c9785f'
  pen.fillRect(212, -205, 92, 112)
  at(pen, { x: 258, y: -149 }, () => paintMark(pen, { radius: 26, sun: OCHRE, leaf: CREAM }))
}

function line(pen: Pen, [x1, y1]: [number, number], [x2, y2]: [number, number]): void {
  pen.beginPath()
  pen.moveTo(x1, y1)
  pen.lineTo(x2, y2)
  pen.stroke()
}

const POSTER = { width: 500, height: 707 }

export function drawPoster(): Canvas {
  return drawScene('#f3ebe6', '#d6c2b9', (pen) => {
    at(pen, { x: 600, y: 445 }, () => {
      const { width, height } = POSTER
      const path = sheetPath(pen, width, height, 2)
      fillLifted(pen, path, CREAM, 0.8)
      at(pen, { x: -200, y: -298 }, () => paintTiles(pen, { columns: 4, rows: 4, side: 100 }))
      text(pen, 'FORM & COLOUR', { x: -201, y: 196, font: '76px Bebas', color: INK, spacing: 1.6 })
      text(pen, 'An exhibition of printed works', { x: -198, y: 238, font: '24px Playfair Italic', color: INK })
      text(pen, '12 MAY – 30 AUGUST', { x: -198, y: 306, font: '17px Inter Bold', color: '#c9563a', spacing: 2 })
      text(pen, 'KUNSTHALLE', { x: 200, y: 306, font: '17px Inter', color: INK, align: 'right', spacing: 2 })
      sheen(pen, path, POSTER)
      for (const x of [-150, 150]) paintClip(pen, x)
    })
  })
}

/** Paints a bulldog clip, by which the poster hangs. */
function paintClip(pen: Pen, x: number): void {
  at(pen, { x, y: -POSTER.height / 2 }, () => {
    pen.strokeStyle = '#3b3b40'
    pen.lineWidth = 4
    pen.beginPath()
    pen.arc(0, -32, 13, Math.PI * 0.8, Math.PI * 2.2)
    pen.stroke()
    pen.fillStyle = '#3b3b40'
    pen.beginPath()
    pen.moveTo(-16, -24)
    pen.lineTo(16, -24)
    pen.lineTo(30, 12)
    pen.lineTo(-30, 12)
    pen.fill()
  })
}
