import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Canvas, createCanvas, GlobalFonts, type SKRSContext2D } from '@napi-rs/canvas'

export const WIDTH = 1200
export const HEIGHT = 900

export type Pen = SKRSContext2D

const require = createRequire(import.meta.url)
const FONTS = {
  Inter: '@fontsource/inter/files/inter-latin-500-normal.woff2',
  'Inter Bold': '@fontsource/inter/files/inter-latin-700-normal.woff2',
  Playfair: '@fontsource/playfair-display/files/playfair-display-latin-500-normal.woff2',
  'Playfair Italic': '@fontsource/playfair-display/files/playfair-display-latin-500-italic.woff2',
  Bebas: '@fontsource/bebas-neue/files/bebas-neue-latin-400-normal.woff2',
}

/** Registers the fonts of the pictures under names of their own. */
export function registerFonts(): void {
  for (const [name, file] of Object.entries(FONTS)) GlobalFonts.register(readFileSync(require.resolve(file)), name)
}

/** Draws a picture on a soft background that is lit from the top left. */
export function drawScene(light: string, dark: string, draw: (pen: Pen) => void): Canvas {
  const canvas = createCanvas(WIDTH, HEIGHT)
  const pen = canvas.getContext('2d')
  const glow = pen.createRadialGradient(WIDTH * 0.36, HEIGHT * 0.24, 60, WIDTH * 0.5, HEIGHT * 0.5, WIDTH * 0.78)
  glow.addColorStop(0, light)
  glow.addColorStop(1, dark)
  pen.fillStyle = glow
  pen.fillRect(0, 0, WIDTH, HEIGHT)
  draw(pen)
  return canvas
}

/** Draws around a centre, turned clockwise, and restores the pen. */
export function at(pen: Pen, { x, y, degrees = 0 }: { x: number; y: number; degrees?: number }, draw: () => void) {
  pen.save()
  pen.translate(x, y)
  pen.rotate((degrees * Math.PI) / 180)
  draw()
  pen.restore()
}

/** Fills a path with a wide soft shadow and a narrow one, as paper casts them. */
export function fillLifted(pen: Pen, path: () => void, fill: string, lift = 1): void {
  const shadows = [
    { color: 'rgba(46, 34, 22, 0.20)', blur: 70 * lift, x: 18 * lift, y: 44 * lift },
    { color: 'rgba(46, 34, 22, 0.24)', blur: 14 * lift, x: 4 * lift, y: 8 * lift },
  ]
  for (const { color, blur, x, y } of shadows) {
    pen.save()
    Object.assign(pen, { shadowColor: color, shadowBlur: blur, shadowOffsetX: x, shadowOffsetY: y, fillStyle: fill })
    path()
    pen.fill()
    pen.restore()
  }
}

/** Lays light over a path, from the top left to the bottom right. */
export function sheen(pen: Pen, path: () => void, { width, height }: { width: number; height: number }): void {
  const light = pen.createLinearGradient(-width / 2, -height / 2, width / 2, height / 2)
  light.addColorStop(0, 'rgba(255, 255, 255, 0.16)')
  light.addColorStop(0.5, 'rgba(255, 255, 255, 0)')
  light.addColorStop(1, 'rgba(40, 24, 12, 0.10)')
  pen.fillStyle = light
  path()
  pen.fill()
}

export function text(
  pen: Pen,
  words: string,
  { x, y, font, color, align = 'left', spacing = 0 }: TextStyle & { x: number; y: number },
): void {
  Object.assign(pen, { font, fillStyle: color, textAlign: align, letterSpacing: `${spacing}px` })
  pen.fillText(words, x, y)
}

interface TextStyle {
  font: string
  color: string
  align?: 'left' | 'center' | 'right'
  spacing?: number
}

/** A path of a rectangle around the centre, with slightly rounded corners. */
export function sheetPath(pen: Pen, width: number, height: number, radius = 5): () => void {
  return () => {
    pen.beginPath()
    pen.roundRect(-width / 2, -height / 2, width, height, radius)
  }
}
