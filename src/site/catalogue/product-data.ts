import type { ShippingMethod } from '../../orders/index.ts'
import type { ProductBody } from '../../products/index.ts'
import { shippingDetails } from './delivery.ts'
import { inUnits } from './money.ts'

/** Describes a product for search engines: https://schema.org/Product. */
export function productData(product: ProductBody, methods: readonly ShippingMethod[], origin: string): object {
  const { name, description, images, categories, currency, variants } = product
  const available = variants.filter((variant) => variant.available)
  const amounts = available.flatMap(({ priceTiers }) => priceTiers.map(({ unitAmount }) => unitAmount))
  const shipping = shippingDetails(methods, product)
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
            ...(shipping.length === 0 ? {} : { shippingDetails: shipping }),
          },
        }),
  }
}
