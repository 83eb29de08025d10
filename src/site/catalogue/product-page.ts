import type { ShippingMethod } from '../../orders/index.ts'
import type { ProductBody } from '../../products/index.ts'
import { escapeHtml } from '../html.ts'
import { renderProductMarkdown } from '../look/markdown.ts'
import type { ShopPage } from '../shop/shop-page.ts'
import type { ShopTexts } from '../shop/shop-texts.ts'
import { picture, pictureUrl } from './catalogue-page.ts'
import { deliveryHtml, listDelivery } from './delivery.ts'
import { productData } from './product-data.ts'

interface Shop {
  shopName: string
  origin: string
  shippingMethods: readonly ShippingMethod[]
}

/** The page of one product. It shows pictures, options, sizes and prices without script. */
export function productPage(product: ProductBody, shop: Shop, texts: ShopTexts): ShopPage {
  const { shopName, origin, shippingMethods: methods } = shop
  const shippingMethods = listDelivery(methods, product.currency)
  const { name, images, description } = product
  const pictures = images.map((image, index) => picture(image, index === 0)).join('')
  const main = `<div class="page wide"><a href="/" class="back">${escapeHtml(texts.text('shop.allProducts'))}</a>
<div class="product"><div class="pictures">${pictures}</div>
<div class="page normal"><div class="page-head"><h1>${escapeHtml(name)}</h1></div>
<p class="lead">${escapeHtml(description)}</p>
${options(product)}
${prices(product, texts)}
${deliveryHtml(shippingMethods, texts)}
${sizes(product, texts)}
${renderProductMarkdown(product.descriptionMarkdown)}
<noscript><p class="note">${escapeHtml(texts.text('shop.needsScript'))}</p></noscript></div></div></div>`
  const [image] = images
  const isActive = product.status === 'active'
  return {
    title: `${name} – ${shopName}`,
    ...(description === '' ? {} : { description: description.slice(0, 300) }),
    ...(isActive ? { canonical: `/products/${product.id}`, structured: productData(product, methods, origin) } : {}),
    ...(image === undefined ? {} : { imageUrl: pictureUrl(image, 1280) }),
    main,
    data: { product, shippingMethods },
  }
}

const list = (items: readonly (readonly [term: string, value: string])[]): string =>
  items.map(([term, value]) => `<div><dt>${escapeHtml(term)}</dt><dd>${escapeHtml(value)}</dd></div>`).join('')

function options({ options: all }: ProductBody): string {
  if (all.length === 0) return ''
  return `<dl class="facts">${list(all.map(({ name, values }) => [name, values.join(', ')]))}</dl>`
}

function sizes({ printAreas }: ProductBody, { text, formats }: ShopTexts): string {
  const areas = printAreas.map(({ name, widthMm, heightMm, required }) => {
    const size = formats.size(widthMm, heightMm)
    return [name, required ? size : `${size} (${text('shop.optional')})`] as const
  })
  return `<dl class="facts">${list(areas)}</dl>`
}

/** More tables are too many to read, and expensive to render. */
const MOST_PRICE_TABLES = 20

/** Variants with the same prices share a table. */
function prices({ variants, currency }: ProductBody, texts: ShopTexts): string {
  const { text, formats } = texts
  const available = variants.filter((variant) => variant.available)
  if (available.length === 0) return `<p>${escapeHtml(text('shop.soldOut'))}</p>`
  const tables = Map.groupBy(available, ({ priceTiers }) => JSON.stringify(priceTiers))
  if (tables.size > MOST_PRICE_TABLES) return priceRange(available, currency, texts)
  return [...tables.values()]
    .map((group) => {
      const rows = (group[0]?.priceTiers ?? []).map(({ minQuantity, unitAmount }) => {
        const from = text('shop.fromQuantity', { count: minQuantity })
        const price = formats.money({ amount: unitAmount, currency })
        return `<tr><th scope="row">${escapeHtml(from)}</th><td>${escapeHtml(price)}</td></tr>`
      })
      const of =
        tables.size === 1 ? '' : ` (${group.map(({ options }) => Object.values(options).join(', ')).join('; ')})`
      return `<table class="tiers"><caption>${escapeHtml(text('shop.prices') + of)}</caption>
<thead><tr><th scope="col">${escapeHtml(text('shop.quantity'))}</th><th scope="col">${escapeHtml(text('shop.each'))}</th></tr></thead>
<tbody>${rows.join('')}</tbody></table>`
    })
    .join('')
}

function priceRange(variants: ProductBody['variants'], currency: string, { text, formats }: ShopTexts): string {
  const amounts = variants.flatMap(({ priceTiers }) => priceTiers.map(({ unitAmount }) => unitAmount))
  const [lowest, highest] = [Math.min(...amounts), Math.max(...amounts)].map((amount) =>
    formats.money({ amount, currency }),
  )
  return `<p>${escapeHtml(text('shop.priceRange', { lowest: lowest ?? '', highest: highest ?? '' }))}</p>`
}
