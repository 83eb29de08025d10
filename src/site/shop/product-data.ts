import type { ProductBody } from '../../products/index.ts'

/** Describes a product for search engines: https://schema.org/Product. */
export function productData(product: ProductBody, origin: string): object {
  const { name, description, images, categories, currency, variants } = product
  const available = variants.filter((variant) => variant.available)
  const amounts = available.flatMap(({ priceTiers }) => priceTiers.map(({ unitAmount }) => unitAmount))
  const url = `${origin}/products/${product.id}`
  return {
    '@context': 'https://schema.org',
    '@type': 'Product',
    name,
    url,
    ...(description === '' ? {} : { description }),
    ...(images.length === 0 ? {} : { image: images.map((image) => `${origin}${image.url}?width=1280`) }),
    ...(categories.length === 0 ? {} : { category: categories }),
    ...(amounts.length === 0
      ? {}
      : {
          offers: {
            '@type': 'AggregateOffer',
            url,
            priceCurrency: currency,
            lowPrice: inUnits(Math.min(...amounts), currency),
            highPrice: inUnits(Math.max(...amounts), currency),
            offerCount: available.length,
            availability: 'https://schema.org/InStock',
          },
        }),
  }
}

/** Returns an amount of minor units as schema.org wants it, such as `1.20`. */
function inUnits(amount: number, currency: string): string {
  const { maximumFractionDigits: digits = 2 } = new Intl.NumberFormat('en', {
    style: 'currency',
    currency,
  }).resolvedOptions()
  return (amount / 10 ** digits).toFixed(digits)
}
