import { escapeHtml } from '../html.ts'
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
  /** HTML that is readable without script. */
  content?: string
  /** What the shop would otherwise request from the API. */
  data?: object
}

/** More is left to the API, because the HTML would arrive too late. */
const LARGEST_DATA = 200_000

/** Puts a page into the built HTML of the shop. Functions as replacements, because texts may contain `$&`. */
export function renderShopPage(
  template: string,
  page: ShopPage,
  { texts, origin }: { texts: ShopTexts; origin: string },
): string {
  return template
    .replace('<html lang="en">', () => `<html lang="${texts.locale}" dir="${texts.direction}">`)
    .replace(/<title>[^<]*<\/title>/, () => headOf(page, origin))
    .replace('<!--content-->', () => contentOf(page))
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

function contentOf({ content, data }: ShopPage): string {
  const json = data === undefined ? undefined : jsonInHtml(data)
  const block =
    json === undefined || json.length > LARGEST_DATA
      ? ''
      : `<script type="application/json" id="page-data">${json}</script>`
  return `${content === undefined ? '' : `<div id="readable">${content}</div>`}${block}`
}

/** JSON that cannot end the element which holds it. */
const jsonInHtml = (value: object): string => JSON.stringify(value).replaceAll('<', '\\u003c')
