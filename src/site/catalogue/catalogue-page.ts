import { lowestAmount, type ProductBody, type ProductImageBody } from '../../products/index.ts'
import { escapeHtml } from '../html.ts'
import type { ShopPage } from '../shop/shop-page.ts'
import type { ShopTexts } from '../shop/shop-texts.ts'

export interface CatalogueFilter {
  category?: string | undefined
  q?: string | undefined
}

export interface Catalogue {
  filter: CatalogueFilter
  page: { data: ProductBody[]; nextCursor: string | null }
}

/** The page that lists the products of a shop. */
export function cataloguePage({ filter, page }: Catalogue, shopName: string, texts: ShopTexts): ShopPage {
  const { category, q } = filter
  const cards = page.data.map((product, index) => card(product, texts, index < 3))
  const none =
    cards.length === 0
      ? `<p>${escapeHtml(texts.text((category ?? q) ? 'shop.nothingFound' : 'shop.noProducts'))}</p>`
      : ''
  const main = `<div class="page wide"><h1 class="visually-hidden">${escapeHtml(shopName)}</h1>
<p class="claim">${escapeHtml(texts.text('shop.claim'))}</p>${none}<ul class="cards">${cards.join('')}</ul></div>`
  const image = page.data.flatMap(({ images }) => images)[0]
  return {
    title: category === undefined ? shopName : `${category} – ${shopName}`,
    description: texts.text('shop.claim'),
    // Results of searches are no pages of their own for search engines.
    ...(q === undefined
      ? { canonical: category === undefined ? '/' : `/?category=${encodeURIComponent(category)}` }
      : {}),
    ...(image === undefined ? {} : { imageUrl: pictureUrl(image, 1280) }),
    main,
    data: { catalogue: { filter, page } },
  }
}

function card(product: ProductBody, texts: ShopTexts, isFirst: boolean): string {
  const [image] = product.images
  const amount = lowestAmount(product)
  const price =
    amount === undefined
      ? texts.text('shop.soldOut')
      : texts.text('shop.priceFrom', { price: texts.formats.money({ amount, currency: product.currency }) })
  return `<li class="card">${image === undefined ? '<div class="picture outline"></div>' : picture(image, isFirst)}
<h2 class="card-name"><a href="/products/${product.id}">${escapeHtml(product.name)}</a></h2>
<p class="card-note">${escapeHtml(price)}</p></li>`
}

export const pictureUrl = ({ url }: ProductImageBody, width: number): string => `${url}?width=${width}`

export function picture(image: ProductImageBody, isFirst: boolean): string {
  const loading = isFirst ? 'eager' : 'lazy'
  return `<img class="picture" alt="${escapeHtml(image.alt)}" src="${pictureUrl(image, 640)}" loading="${loading}" decoding="async">`
}
