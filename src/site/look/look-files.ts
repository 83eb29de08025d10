import { createHash } from 'node:crypto'
import type { Config, FontFace, Logo, Look } from '../../config/index.ts'
import { type StoredPage, storedPage } from '../pages.ts'

export type ReadFile = (path: string) => Buffer

/** The settings on which the files depend. */
export interface LookSettings {
  look: Look
  shopLogo: Config['shopLogo']
}

/** The logo in the header. */
export interface LogoPicture {
  url: string
  /** In CSS pixels. */
  width: number
  height: number
}

/** The style sheet of the theme, its fonts and the logo. Their URLs contain a hash of their content. */
export interface LookFiles {
  /** By URL path. */
  files: ReadonlyMap<string, StoredPage>
  /** Elements for the head of each page, after the style sheets of the shop. */
  head: string
  logo: LogoPicture | undefined
}

/** The header is 64 pixels high. */
const LOGO = { height: 40, width: 200 }

/** The tokens are also set for the editor, whose own style sheet would hide those of the page. */
const SELECTOR = ':root,platen-editor'

/** Makes the files for a look. @param read reads the files that settings name */
export function createLookFiles({ look, shopLogo }: LookSettings, read: ReadFile): LookFiles {
  const files = new Map<string, StoredPage>()
  const add = (name: string, extension: string, type: string, bytes: Buffer): string => {
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
    const path = `/${name}-${hash}.${extension}`
    files.set(path, storedPage(type, bytes))
    return path
  }
  const fonts = look.fonts.map((face) => ({
    face,
    url: add('font', 'woff2', 'font/woff2', read(face.path)),
  }))
  const css = [...fonts.map(({ face, url }) => fontRule(face, url)), tokenRule(look.tokens)].join('')
  const sheet = css === '' ? '' : link(add('theme', 'css', 'text/css; charset=utf-8', Buffer.from(css)))
  const preloads = firstFonts(fonts).map(({ url }) => preload(url))
  const logo = shopLogo === undefined ? undefined : { url: logoUrl(shopLogo, add, read), ...fit(shopLogo) }
  return { files, head: [...preloads, sheet].join(''), logo }
}

function logoUrl(
  logo: NonNullable<Config['shopLogo']>,
  add: (name: string, extension: string, type: string, bytes: Buffer) => string,
  read: ReadFile,
): string {
  // The API draws an uploaded logo, which may be large.
  if ('id' in logo) return `/v1/shop-settings/logo/${logo.id}?width=640`
  const { path, mediaType } = logo
  return add('logo', mediaType === 'image/png' ? 'png' : 'jpg', mediaType, read(path))
}

/** Returns the size in which the header shows a logo. Small ones keep their size. */
function fit({ width, height }: Pick<Logo, 'width' | 'height'>): { width: number; height: number } {
  const scale = Math.min(1, LOGO.height / height, LOGO.width / width)
  return { width: Math.max(1, Math.round(width * scale)), height: Math.max(1, Math.round(height * scale)) }
}

function fontRule({ family, weight, style, ranges }: FontFace, url: string): string {
  const range = ranges === undefined ? '' : `unicode-range:${ranges};`
  return `@font-face{font-family:"${family}";src:url("${url}") format("woff2");font-weight:${weight};font-style:${style};${range}font-display:swap}\n`
}

function tokenRule(tokens: Look['tokens']): string {
  const declarations = Object.entries(tokens).map(([name, value]) => `${name}:${value};`)
  return declarations.length === 0 ? '' : `${SELECTOR}{${declarations.join('')}}\n`
}

interface ServedFont {
  face: FontFace
  url: string
}

/** The fonts that each page needs at once: the first one of texts, and the boldest one of headings. */
function firstFonts(fonts: readonly ServedFont[]): ServedFont[] {
  const plain = fonts.filter(
    ({ face: { style, ranges } }) => style === 'normal' && (ranges ?? 'U+0000').startsWith('U+0000'),
  )
  const families = [...Map.groupBy(plain, ({ face }) => face.family).values()]
  return families.flatMap((faces, index) => faces.at(index === 0 ? 0 : -1) ?? [])
}

const link = (url: string): string => `<link rel="stylesheet" href="${url}">`
const preload = (url: string): string => `<link rel="preload" as="font" type="font/woff2" href="${url}" crossorigin>`
