/** A colour with channels from 0 to 1. */
export interface Rgba {
  red: number
  green: number
  blue: number
  alpha: number
}

/** Parses `#RRGGBB` or `#RRGGBBAA`. */
export function parseColor(color: string): Rgba {
  const channel = (at: number) => Number.parseInt(color.slice(at, at + 2), 16) / 255
  return { red: channel(1), green: channel(3), blue: channel(5), alpha: color.length > 7 ? channel(7) : 1 }
}

/** Returns one colour painted over another, mixed channel by channel as canvases and PDF do (Porter-Duff `over`). */
export function over(top: Rgba, under: Rgba): Rgba {
  const alpha = top.alpha + under.alpha * (1 - top.alpha)
  const channel = (a: number, b: number) =>
    alpha === 0 ? 0 : (a * top.alpha + b * under.alpha * (1 - top.alpha)) / alpha
  return {
    red: channel(top.red, under.red),
    green: channel(top.green, under.green),
    blue: channel(top.blue, under.blue),
    alpha,
  }
}

/** Returns a colour as it appears in a layer of this opacity. */
export function faded(color: Rgba, opacity: number): Rgba {
  return { ...color, alpha: color.alpha * opacity }
}

/** Computes the share of light that an opaque colour reflects: the CIE luminance of sRGB (IEC 61966-2-1). */
export function luminance({ red, green, blue }: Rgba): number {
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

function linear(channel: number): number {
  return channel <= 0.04045 ? channel / 12.92 : ((channel + 0.055) / 1.055) ** 2.4
}

export function isTransparent(color: string): boolean {
  return parseColor(color).alpha === 0
}
