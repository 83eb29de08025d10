import type { DesignDocument } from '@platen/drawing'
import type { EditorMessage } from '../../../messages.ts'

export interface NamedColor {
  color: string
  name: EditorMessage
}

/** Colours that print well: within the range of offset printing on coated paper. */
export const PALETTE: readonly NamedColor[] = [
  { color: '#000000', name: 'colorBlack' },
  { color: '#4A4A4F', name: 'colorDarkGrey' },
  { color: '#8E8E93', name: 'colorGrey' },
  { color: '#D9D9DC', name: 'colorLightGrey' },
  { color: '#FFFFFF', name: 'colorWhite' },
  { color: '#F4ECDD', name: 'colorCream' },
  { color: '#7A1F2B', name: 'colorWine' },
  { color: '#C8322B', name: 'colorRed' },
  { color: '#E4572E', name: 'colorOrangeRed' },
  { color: '#F08A24', name: 'colorOrange' },
  { color: '#F5C518', name: 'colorYellow' },
  { color: '#A8B820', name: 'colorLime' },
  { color: '#4C9A2A', name: 'colorGreen' },
  { color: '#1F5C3A', name: 'colorForest' },
  { color: '#1F8A8A', name: 'colorTeal' },
  { color: '#6FB7DE', name: 'colorSky' },
  { color: '#2444C8', name: 'colorBlue' },
  { color: '#1B2A57', name: 'colorNavy' },
  { color: '#6B3FA0', name: 'colorPurple' },
  { color: '#B5367E', name: 'colorMagenta' },
  { color: '#F2B8C6', name: 'colorPink' },
  { color: '#8A5A33', name: 'colorBrown' },
]

/** Reads the colours of a shop, separated by commas. Leaves out what is none. */
export function readPalette(list: string): string[] {
  const colors = list.split(',').map((color) => readHex(color)?.slice(0, 7))
  return [...new Set(colors.filter((color) => color !== undefined))]
}

const HEX = /^#?([0-9a-f]{3}|[0-9a-f]{6}|[0-9a-f]{8})$/i

/** Reads a colour as customers type it, such as `fa0`. Returns `#RRGGBB` or `#RRGGBBAA`, or undefined. */
export function readHex(input: string): string | undefined {
  const digits = HEX.exec(input.trim())?.[1]?.toUpperCase()
  if (digits === undefined) return undefined
  const long = digits.length === 3 ? [...digits].map((digit) => digit + digit).join('') : digits
  return `#${long.endsWith('FF') && long.length === 8 ? long.slice(0, 6) : long}`
}

/** Returns a colour without its transparency. */
export function opaqueOf(color: string): string {
  return color.slice(0, 7).toUpperCase()
}

export function alphaOf(color: string): number {
  return color.length > 7 ? Number.parseInt(color.slice(7), 16) / 255 : 1
}

/** @param alpha from 0 to 1 */
export function withAlpha(color: string, alpha: number): string {
  const byte = Math.round(Math.max(0, Math.min(1, alpha)) * 255)
  const digits = byte.toString(16).padStart(2, '0').toUpperCase()
  return byte === 255 ? opaqueOf(color) : `${opaqueOf(color)}${digits}`
}

/** Lists the colours of a design, the most frequent ones first. */
export function colorsOf(document: DesignDocument, limit = 12): string[] {
  const counts = new Map<string, number>()
  const add = (color: string | undefined): void => {
    if (color !== undefined) counts.set(opaqueOf(color), (counts.get(opaqueOf(color)) ?? 0) + 1)
  }
  for (const { layers } of document.placements) {
    for (const layer of layers) {
      if (layer.type === 'text' || layer.type === 'qr') add(layer.color)
      if (layer.type === 'qr') add(layer.background)
      if (layer.type === 'shape') add(layer.fill)
      if (layer.type === 'shape') add(layer.stroke?.color)
    }
  }
  return [...counts]
    .sort((a, b) => b[1] - a[1])
    .map(([color]) => color)
    .slice(0, limit)
}
