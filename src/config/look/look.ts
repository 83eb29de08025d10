import type { Settings } from '../settings.ts'
import { ConfigError } from '../values/config-error.ts'
import { accentTokens } from './accents.ts'
import { type FontFace, type FontFile, readyFaces } from './fonts.ts'
import type { FooterLink, PageFile } from './footer.ts'
import { findUnreadable } from './theme-contrast.ts'
import { colorsOf, DEFAULT_TOKENS, type Scheme, type Tokens } from './tokens.ts'

/** What makes the pages of one shop different from those of others. */
export interface Look {
  /** Design tokens with other values than in the style sheet. */
  tokens: Tokens
  fonts: readonly FontFace[]
  links: readonly FooterLink[]
  pages: readonly PageFile[]
}

const TEXT_FAMILY = 'Shop Text'
const HEADING_FAMILY = 'Shop Headings'

/** Returns the look, and the colour of the shop in light pages and in mails. */
export function readLook(settings: Settings): { look: Look; shopColor: string } {
  const { PLATEN_SHOP_THEME: theme, PLATEN_SHOP_COLOR: color } = settings
  const { PLATEN_SHOP_FONT: text, PLATEN_SHOP_HEADING_FONT: heading } = settings
  const accents = color === undefined ? {} : accentTokens(color, theme)
  const tokens = { ...theme, ...accents, ...familiesOf(theme, text, heading) }
  const unreadable = findUnreadable(tokens)
  if (unreadable !== undefined) throw new ConfigError('PLATEN_SHOP_COLOR', `is "${color}", which ${unreadable}.`)
  const fonts = [...facesOf(TEXT_FAMILY, text), ...facesOf(HEADING_FAMILY, heading), ...namedFaces(tokens)]
  const look = { tokens, fonts, links: settings.PLATEN_SHOP_LINKS, pages: settings.PLATEN_SHOP_PAGES_DIR ?? [] }
  return { look, shopColor: color ?? colorsOf(tokens, 'light')('fill') }
}

/** Colours `#rrggbb` of one scheme. */
export interface AccentColors {
  /** Texts and links in the colour of the shop. */
  accent: string
  background: string
  fill: string
  /** Texts on `fill`. */
  onFill: string
}

export interface ColoredLook {
  look: Look
  colors: Readonly<Record<Scheme, AccentColors>>
  /** What is hard to read, as a part of a sentence. */
  unreadable: string | undefined
}

/** Replaces the colour of a look. The colours of texts are darker or lighter than the colour if reading requires it. */
export function withAccent(look: Look, color: string): ColoredLook {
  const tokens = { ...look.tokens, ...accentTokens(color, look.tokens) }
  const colors = { light: accentColorsOf(tokens, 'light'), dark: accentColorsOf(tokens, 'dark') }
  return { look: { ...look, tokens }, colors, unreadable: findUnreadable(tokens) }
}

function accentColorsOf(tokens: Tokens, scheme: Scheme): AccentColors {
  const colorOf = colorsOf(tokens, scheme)
  return { accent: colorOf('accent'), background: colorOf('paper'), fill: colorOf('fill'), onFill: colorOf('on-fill') }
}

type Files = readonly FontFile[] | undefined

/** Fonts of the shop come before those of the theme. Without a font for headings, the font of texts is that, too. */
function familiesOf(theme: Tokens, text: Files, heading: Files): Tokens {
  const before = (family: string, token: string): Tokens => {
    const rest = theme[token] ?? DEFAULT_TOKENS[token] ?? ''
    return { [token]: `"${family}", ${rest.startsWith('var(') ? DEFAULT_TOKENS['--pl-font'] : rest}` }
  }
  return {
    ...(text === undefined ? {} : before(TEXT_FAMILY, '--pl-font')),
    ...(text === undefined ? {} : { '--pl-font-heading': 'var(--pl-font)' }),
    ...(heading === undefined ? {} : before(HEADING_FAMILY, '--pl-font-heading')),
  }
}

const facesOf = (family: string, files: Files = []): FontFace[] => files.map((file) => ({ family, ...file }))

/** The faces of the families that come first in the tokens. */
function namedFaces(tokens: Tokens): FontFace[] {
  const stacks = ['--pl-font', '--pl-font-heading'].map((name) => tokens[name] ?? DEFAULT_TOKENS[name] ?? '')
  const families = stacks.flatMap((stack) => /^"?([^",]+)/.exec(stack)?.[1] ?? [])
  return [...new Set(families)].flatMap(readyFaces)
}
