import { contrast, fromOklch, luminance, onColor, toOklch } from '../../platform/colors.ts'
import { colorsOf, SCHEMES, type Scheme, type Tokens } from './tokens.ts'

/** A little more than WCAG 2.2 requires of text, because colours are rounded. */
const TEXT_CONTRAST = 4.6

/** A button with less contrast to the page would not be seen as one. */
const FILL_CONTRAST = 1.25

const BACKGROUNDS = ['paper', 'surface', 'surface-2']
const NAMES = ['accent', 'accent-strong', 'accent-soft', 'on-accent', 'fill', 'fill-strong', 'on-fill'] as const
type Accents = Readonly<Record<(typeof NAMES)[number], string>>

/**
 * Derives the tokens of the accent from the colour of the shop. Links and marks get its hue, as dark or as light as
 * their backgrounds require. Buttons get the colour itself, with text in black or white.
 */
export function accentTokens(color: string, tokens: Tokens): Tokens {
  const [light, dark] = SCHEMES.map((scheme) => accentsFor(color, tokens, scheme)) as [Accents, Accents]
  return Object.fromEntries(NAMES.map((name) => [`--pl-${name}`, `light-dark(${light[name]}, ${dark[name]})`]))
}

function accentsFor(color: string, tokens: Tokens, scheme: Scheme): Accents {
  const colorOf = colorsOf(tokens, scheme)
  const backgrounds = BACKGROUNDS.map(colorOf)
  const { lightness, chroma, hue } = toOklch(color)
  // Text of the accent is on the same side of the backgrounds as all other text.
  const direction = luminance(colorOf('ink')) > luminance(colorOf('paper')) ? 1 : -1
  const soft = fromOklch(
    direction < 0
      ? { lightness: 0.95, chroma: Math.min(chroma, 0.03), hue }
      : { lightness: 0.32, chroma: Math.min(chroma, 0.06), hue },
  )
  let step = 0
  const shade = (extra = 0): string =>
    fromOklch({ lightness: lightness + direction * (step / 100 + extra), chroma, hue })
  const isReadable = (): boolean => [...backgrounds, soft].every((one) => contrast(shade(), one) >= TEXT_CONTRAST)
  while (step < 100 && !isReadable()) step += 1
  const accent = step === 0 ? color : shade()
  const accents = {
    accent,
    'accent-strong': shade(0.08),
    'accent-soft': soft,
    'on-accent': direction < 0 ? '#ffffff' : '#000000',
  }
  if (contrast(color, colorOf('paper')) < FILL_CONTRAST) {
    return { ...accents, fill: accent, 'fill-strong': accents['accent-strong'], 'on-fill': accents['on-accent'] }
  }
  const text = onColor(color)
  // Away from the text, so that it stays readable.
  const stronger = lightness + (text === '#ffffff' ? -0.07 : 0.07)
  return { ...accents, fill: color, 'fill-strong': fromOklch({ lightness: stronger, chroma, hue }), 'on-fill': text }
}
