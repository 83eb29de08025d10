import { LRUCache } from 'lru-cache'
import { runForAll } from '../../platform/concurrency/request-context.ts'
import type { Db } from '../../platform/db/index.ts'
import { toCutPage } from '../../platform/http/responses/pagination.ts'
import { findListVersion, listProducts, type ProductFilter, toProductBody } from '../../products/index.ts'
import type { StoredPage } from '../pages.ts'
import type { ShopPages } from '../shop/page-routes.ts'
import type { ShopTexts } from '../shop/shop-texts.ts'
import { type CatalogueFilter, cataloguePage } from './catalogue-page.ts'

/** As many as the shop requests at once. */
const PAGE_SIZE = 60

/** What a process keeps in memory. */
const KEPT_BYTES = 16 * 1024 * 1024

interface Kept {
  look: unknown
  version: string
  page: StoredPage
}

interface CataloguePagesDeps {
  db: Db
  pages: Pick<ShopPages, 'render'> & { look(): unknown }
  settings(): { shopName: string }
}

/**
 * The pages of the catalogue. Reading and rendering the products of a page takes a hundred times as long as sending it,
 * so a page is kept until one of its products or the look of the shop changes. Results of searches are not kept, because their number has no
 * limit.
 */
export function createCataloguePages({ db, pages, settings }: CataloguePagesDeps) {
  const kept = new LRUCache<string, Kept>({
    maxSize: KEPT_BYTES,
    sizeCalculation: ({ page }, key) => page.bytes.length + key.length,
  })
  const rendering = new Map<string, Promise<StoredPage>>()

  const render = async (filter: CatalogueFilter, texts: ShopTexts): Promise<StoredPage> => {
    const page = toCutPage(await listProducts(db, toProductFilter(filter)), toProductBody)
    return pages.render(cataloguePage({ filter, page }, settings().shopName, texts), texts)
  }
  const renderOnce = async (version: string, filter: CatalogueFilter, texts: ShopTexts): Promise<StoredPage> => {
    const key = keyOf(filter, texts)
    const run = `${version} ${key}`
    const look = pages.look()
    const running = rendering.get(run)
    if (running !== undefined) return running
    // A change between the two reads is found with the next request, because the version is the older one.
    const started = runForAll(() => render(filter, texts)).finally(() => rendering.delete(run))
    rendering.set(run, started)
    const page = await started
    kept.set(key, { look, version, page })
    return page
  }
  return {
    /** Finds the page of a filter in a language. */
    async find(filter: CatalogueFilter, texts: ShopTexts): Promise<StoredPage> {
      if (filter.q !== undefined) return render(filter, texts)
      const version = await findListVersion(db, toProductFilter(filter))
      const found = kept.get(keyOf(filter, texts))
      return found?.version === version && found.look === pages.look() ? found.page : renderOnce(version, filter, texts)
    },
  }
}

const keyOf = ({ category = '' }: CatalogueFilter, { locale }: ShopTexts): string => `${locale} ${category}`

const toProductFilter = ({ category, q: words }: CatalogueFilter): ProductFilter => ({
  ...{ status: 'active', category, words, after: undefined, limit: PAGE_SIZE },
})
