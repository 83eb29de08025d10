import { LRUCache } from 'lru-cache'
import type { ShippingMethod } from '../../orders/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { findProduct, findProductVersion, toProductBody } from '../../products/index.ts'
import type { StoredPage } from '../pages.ts'
import type { ShopPages } from '../shop/page-routes.ts'
import type { ShopTexts } from '../shop/shop-texts.ts'
import { productPage } from './product-page.ts'

/** What a process keeps in memory. */
const KEPT_BYTES = 16 * 1024 * 1024
/** Larger pages are not kept, because one of them would evict many others. */
const LARGEST_KEPT_BYTES = 1024 * 1024

interface Kept {
  look: unknown
  version: string
  shippingMethods: readonly ShippingMethod[]
  page: StoredPage
}

interface ProductPagesDeps {
  db: Db
  pages: Pick<ShopPages, 'render'> & { look(): unknown }
  settings(): { origin: string; shopName: string }
  /** Returns the same array until a method has changed. */
  shippingMethods(): Promise<readonly ShippingMethod[]>
}

/**
 * The pages of products. Rendering a large product takes a hundred times as long as sending its page, so a page is kept
 * until the product, the shipping methods or the look of the shop have changed.
 */
export function createProductPages({ db, pages, settings, shippingMethods }: ProductPagesDeps) {
  const kept = new LRUCache<string, Kept>({
    maxSize: KEPT_BYTES,
    maxEntrySize: LARGEST_KEPT_BYTES,
    sizeCalculation: ({ page }) => page.bytes.length,
  })
  return {
    /** Finds the page of a product in a language. Returns undefined for an unknown or malformed id. */
    async find(id: string, texts: ShopTexts): Promise<StoredPage | undefined> {
      const [version, methods] = await Promise.all([findProductVersion(db, id), shippingMethods()])
      if (version === undefined) return undefined
      const key = `${id} ${texts.locale}`
      const look = pages.look()
      const find = (): StoredPage | undefined => {
        const found = kept.get(key)
        const isCurrent = found?.version === version && found.look === look && found.shippingMethods === methods
        return isCurrent ? found.page : undefined
      }
      const known = find()
      if (known !== undefined) return known
      const product = await findProduct(db, id)
      if (product === undefined) return undefined
      // Another request may have rendered it in the meantime.
      const rendered = find()
      if (rendered !== undefined) return rendered
      const shop = { ...settings(), shippingMethods: methods }
      const page = pages.render(productPage(toProductBody(product), shop, texts), texts)
      kept.set(key, { look, version, shippingMethods: methods, page })
      return page
    },
  }
}
