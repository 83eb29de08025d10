import { type Static, Type } from 'typebox'
import type { ShippingMethod } from '../../orders/index.ts'
import { reuseBriefly } from '../../platform/concurrency/reuse-briefly.ts'
import type { Db } from '../../platform/db/index.ts'
import { publicRoute } from '../../platform/http/core/guard.ts'
import type { App } from '../../platform/http/server.ts'
import { listActiveIds } from '../../products/index.ts'
import { sendPage } from '../page-routes.ts'
import { storedPage } from '../pages.ts'
import { LanguageQuery, type ShopPages } from '../shop/page-routes.ts'
import type { CatalogueFilter } from './catalogue-page.ts'
import { createCataloguePages } from './catalogue-pages.ts'
import { createProductPages } from './product-pages.ts'
import { MOST_ADDRESSES, robots, sitemap } from './sitemap.ts'

export interface ShopDeps {
  db: Db
  pages: ShopPages
  settings(): { origin: string; shopName: string }
  shippingMethods(): Promise<readonly ShippingMethod[]>
  /** Names of pages such as the imprint. */
  pageNames: readonly string[]
  /** The pages that only the browser can show, with their `Cache-Control`. */
  browserPages: readonly { path: string; caching: string }[]
}

/** The sitemap reads all products. Its URL is public, so the database reads them at most this often. */
const SITEMAP_REUSE_MS = 60_000

// The shop in the browser shows its own page for a query that is none.
const CatalogueQuery = Type.Object({
  category: Type.Optional(Type.String()),
  q: Type.Optional(Type.String()),
  ...LanguageQuery.properties,
})
const ProductParams = Type.Object({ productId: Type.String() })
const options = { onRequest: publicRoute, config: { countedAs: 'links' } } as const

/** Serves the pages of the shop. The catalogue and the products are readable without script. */
export function shopRoutes(app: App, deps: ShopDeps): void {
  const { pages, browserPages } = deps
  const productPages = createProductPages(deps)
  const cataloguePages = createCataloguePages(deps)
  const empty = pages.prepare(({ shopName }) => ({ title: shopName }))

  const ofCatalogue = { ...options, config: { ...options.config, countedInGeneralWith: ['q', 'category'] } }
  app.get('/', { ...ofCatalogue, schema: { hide: true, querystring: CatalogueQuery } }, async (request, reply) => {
    const page = await cataloguePages.find(filterOf(request.query), pages.textsFor(request))
    return pages.send(request, reply, () => page)
  })
  app.get(
    '/products/:productId',
    { ...options, schema: { hide: true, querystring: LanguageQuery, params: ProductParams } },
    async (request, reply) => {
      const page = await productPages.find(request.params.productId, pages.textsFor(request))
      if (page === undefined) return pages.send(request, reply.status(404), empty)
      return pages.send(request, reply, () => page)
    },
  )
  for (const { path, caching } of browserPages) {
    app.get(path, { ...options, schema: { hide: true, querystring: LanguageQuery } }, async (request, reply) =>
      pages.send(request, reply, empty, caching),
    )
  }
  sitemapRoutes(app, deps)
}

function sitemapRoutes(app: App, { db, pageNames, settings }: ShopDeps): void {
  const { origin } = settings()
  const sitemapFile = reuseBriefly(async () => {
    const text = sitemap(origin, pageNames, await listActiveIds(db, MOST_ADDRESSES - 1 - pageNames.length))
    return storedPage('application/xml; charset=utf-8', text)
  }, SITEMAP_REUSE_MS)
  const robotsFile = storedPage('text/plain; charset=utf-8', robots(origin))
  app.get('/sitemap.xml', { ...options, schema: { hide: true } }, async (request, reply) =>
    sendPage(request, reply, await sitemapFile()),
  )
  app.get('/robots.txt', { ...options, schema: { hide: true } }, async (request, reply) =>
    sendPage(request, reply, robotsFile),
  )
}

/** Leaves out what the list of products would refuse. */
function filterOf({ category, q }: Static<typeof CatalogueQuery>): CatalogueFilter {
  const isUsable = (value: string | undefined, longest: number): value is string =>
    value !== undefined && value.trim() !== '' && value.length <= longest
  return {
    ...(isUsable(category, 50) ? { category } : {}),
    ...(isUsable(q, 200) ? { q } : {}),
  }
}
