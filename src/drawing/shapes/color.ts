/** Channels from 0 to 1. */
export interface Rgba {
  red: number
  green: number
  blue: number
  alpha: number
}

/** Reads `#RRGGBB` or `#RRGGBBAA`. */
export function parseColor(color: string): Rgba {
  const channel = (at: number) => Number.parseInt(color.slice(at, at + 2), 16) / 255
  return { red: channel(1), green: channel(3), blue: channel(5), alpha: color.length > 7 ? channel(7) : 1 }
}

/** What share of the light a colour reflects when printed over another: CIE luminance of sRGB (IEC 61966-2-1). */
export function luminance(color: Rgba, under: Rgba): number {
  const over = (top: number, bottom: number) => top * color.alpha + bottom * (1 - color.alpha)
  return (
    0.2126 * linear(over(color.red, under.red)) +
    0.7152 * linear(over(color.green, under.green)) +
    0.0722 * linear(over(color.blue, under.blue))
  )
}

function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
}
