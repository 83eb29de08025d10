import type { MakeRequest } from './operations.ts'
import { largeProduct, type World } from './world.ts'

/** Another product for each measurement, because the service keeps pages. Its description is expensive to read. */
async function newProduct({ admin, json }: World, variants: number): Promise<{ productId: string }> {
  const paragraph = `${'_*a'.repeat(45)}\n\n`
  const descriptionMarkdown = paragraph.repeat(Math.floor(20_000 / paragraph.length))
  const product = await json('POST', '/products', admin.token, { ...largeProduct(variants), descriptionMarkdown })
  return { productId: product.id }
}

const anonymous: MakeRequest = () => ({})
const product =
  (variants: number): MakeRequest =>
  async (world) => ({ params: await newProduct(world, variants) })

/** The pages of the site that the service makes from its data, with their largest inputs. */
export const PAGES: Readonly<Record<string, { path: string; make: MakeRequest }>> = {
  'page of the catalogue': {
    path: '/',
    make: async (world) => {
      // The service keeps the page until a product changes.
      await newProduct(world, 1)
      return {}
    },
  },
  'page of a search': { path: '/', make: () => ({ query: `q=${'val '.repeat(49)}` }) },
  'page of a product with 500 variants': { path: '/products/{productId}', make: product(500) },
  'page of a product with 20 tables of prices': { path: '/products/{productId}', make: product(20) },
  'sitemap.xml': { path: '/sitemap.xml', make: anonymous },
  'robots.txt': { path: '/robots.txt', make: anonymous },
  'page of a mail link': { path: '/reset-password', make: () => ({ query: `token=${'a'.repeat(2_000)}` }) },
}
