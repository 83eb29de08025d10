import { escapeHtml } from '../html.ts'
import { frame, type ShopFrame } from './frame.ts'
import type { ShopTexts } from './shop-texts.ts'

/** What the service adds to the HTML of the shop for one page. */
export interface ShopPage {
  title: string
  /** For search engines and previews of links. */
  description?: string
  /** URL path with the query that makes it another page. Pages without one are not indexed. */
  canonical?: string
  imageUrl?: string
  /** Data of https://schema.org. */
  structured?: object
  /** HTML of the main part that is readable without script. */
  main?: string
  /** Whether `main` is the whole page, which the program of the shop does not replace. */
  isStatic?: boolean
  /** What the shop would otherwise request from the API. */
  data?: object
}

/** What all pages of the shop have in common. */
export interface ShopLook extends ShopFrame {
  /** The built HTML of the shop, with the settings in it. */
  template: string
  origin: string
  /** Languages that the shop offers. The first one is for readers of all others. */
  languages: readonly string[]
  /** Elements for the head of each page. */
  head: string
}

/** More is left to the API, because the HTML would arrive too late. */
const LARGEST_DATA = 200_000

/** Puts a page into the built HTML of the shop. Functions as replacements, because texts may contain `$&`. */
export function renderShopPage(look: ShopLook, page: ShopPage, texts: ShopTexts): string {
  const { template, origin } = look
  const main = page.main === undefined ? undefined : frame(page.main, look, texts, page.isStatic !== true)
  const html = page.isStatic === true ? withoutProgram(template) : template
  return html
    .replace('<html lang="en">', () => `<html lang="${texts.locale}" dir="${texts.direction}">`)
    .replace(/<title>[^<]*<\/title>/, () => headOf(page, origin))
    .replace('</head>', (end) => `${look.head}${end}`)
    .replace('<!--content-->', () => (page.isStatic === true ? '' : contentOf(main, page.data)))
    .replace('<div id="app"></div>', (app) => (page.isStatic === true ? `<div id="app">${main ?? ''}</div>` : app))
}

function withoutProgram(template: string): string {
  return template
    .replaceAll(/\s*<script\b[^>]*>.*?<\/script>/gs, '')
    .replaceAll(/\s*<link rel="modulepreload"[^>]*>/g, '')
}

function headOf({ title, description, canonical, imageUrl, structured }: ShopPage, origin: string): string {
  const url = canonical === undefined ? undefined : `${origin}${canonical}`
  const image = imageUrl === undefined ? undefined : `${origin}${imageUrl}`
  return [
    `<title>${escapeHtml(title)}</title>`,
    description === undefined ? '' : `<meta name="description" content="${escapeHtml(description)}">`,
    url === undefined
      ? '<meta name="robots" content="noindex">'
      : `<link rel="canonical" href="${escapeHtml(url)}">${openGraph({ title, description, url, image })}`,
    structured === undefined ? '' : `<script type="application/ld+json">${jsonInHtml(structured)}</script>`,
  ].join('')
}

/** The properties of https://ogp.me. */
function openGraph(properties: Record<'title' | 'description' | 'url' | 'image', string | undefined>): string {
  const all = Object.entries({ type: 'website', ...properties })
  return all
    .flatMap(([name, value]) =>
      value === undefined ? [] : [`<meta property="og:${name}" content="${escapeHtml(value)}">`],
    )
    .join('')
}

function contentOf(content: string | undefined, data: object | undefined): string {
  const json = data === undefined ? undefined : jsonInHtml(data)
  const block =
    json === undefined || json.length > LARGEST_DATA
      ? ''
      : `<script type="application/json" id="page-data">${json}</script>`
  return `${content === undefined ? '' : `<div id="readable">${content}</div>`}${block}`
}

/** JSON that cannot end the element which holds it. */
const jsonInHtml = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c')
