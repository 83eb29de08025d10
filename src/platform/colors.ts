/** Returns black or white, whichever has more contrast to a background `#rrggbb`. The contrast is at least 4.58. */
export function onColor(background: string): '#000000' | '#ffffff' {
  return contrast(background, '#000000') > contrast(background, '#ffffff') ? '#000000' : '#ffffff'
}

/** Returns the contrast of two colours `#rrggbb`, from 1 to 21 (WCAG 2.2). */
export function contrast(one: string, other: string): number {
  const [lower = 0, higher = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (higher + 0.05) / (lower + 0.05)
}

/** Relative luminance of `#rrggbb` (WCAG 2.2), from 0 to 1. */
export function luminance(color: string): number {
  const [red, green, blue] = linearOf(color)
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** A colour by how people see it: https://www.w3.org/TR/css-color-4/#ok-lab */
export interface Oklch {
  /** From 0 (black) to 1 (white). */
  lightness: number
  /** 0 is grey; the strongest colours of a screen have about 0.3. */
  chroma: number
  /** In radians. */
  hue: number
}

type Triple = [number, number, number]

export function toOklch(color: string): Oklch {
  const [r, g, b] = linearOf(color)
  const l = Math.cbrt(0.4122214708 * r + 0.5363325363 * g + 0.0514459929 * b)
  const m = Math.cbrt(0.2119034982 * r + 0.6806995451 * g + 0.1073969566 * b)
  const s = Math.cbrt(0.0883024619 * r + 0.2817188376 * g + 0.6299787005 * b)
  const lightness = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s
  const x = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const y = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  return { lightness, chroma: Math.hypot(x, y), hue: Math.atan2(y, x) }
}

/** Returns the colour as `#rrggbb`. If a screen cannot show it, it becomes greyer until it can. */
export function fromOklch({ lightness, chroma, hue }: Oklch): string {
  const wanted = Math.min(1, Math.max(0, lightness))
  for (let reduced = chroma; reduced > 0.001; reduced *= 0.95) {
    const channels = toLinear(wanted, reduced, hue)
    if (channels.every((value) => value > -0.0005 && value < 1.0005)) return toHex(channels)
  }
  return toHex(toLinear(wanted, 0, 0))
}

function toLinear(lightness: number, chroma: number, hue: number): Triple {
  const [x, y] = [chroma * Math.cos(hue), chroma * Math.sin(hue)]
  const l = (lightness + 0.3963377774 * x + 0.2158037573 * y) ** 3
  const m = (lightness - 0.1055613458 * x - 0.0638541728 * y) ** 3
  const s = (lightness - 0.0894841775 * x - 1.291485548 * y) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

function linearOf(color: string): Triple {
  const channel = (at: number): number => {
    const share = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  }
  return [channel(1), channel(3), channel(5)]
}

function toHex(channels: Triple): string {
  const bytes = channels.map((value) => {
    const share = Math.min(1, Math.max(0, value))
    const encoded = share <= 0.0031308 ? share * 12.92 : 1.055 * share ** (1 / 2.4) - 0.055
    return Math.round(encoded * 255)
  })
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, '0')).join('')}`
}
