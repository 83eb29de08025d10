import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { Db } from '../../platform/db/index.ts'
import { publicRoute } from '../../platform/http/core/guard.ts'
import { toCutPage } from '../../platform/http/responses/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import { findProduct, listActiveIds, listProducts, toProductBody } from '../../products/index.ts'
import { REVALIDATE, sendPage } from '../page-routes.ts'
import { storedPage } from '../pages.ts'
import { type CatalogueFilter, cataloguePage } from './catalogue-page.ts'
import { productPage } from './product-page.ts'
import { renderShopPage, type ShopPage } from './shop-page.ts'
import { chooseTexts, readShopTexts } from './shop-texts.ts'
import { MOST_ADDRESSES, robots, sitemap } from './sitemap.ts'

export interface ShopDeps {
  db: Db
  /** The HTML of the shop with the settings in it. */
  template: string
  settings: { origin: string; shopName: string }
  /** The other pages of the shop, with their `Cache-Control`. */
  pages: readonly { path: string; caching: string }[]
}

/** As many as the shop requests at once. */
const PAGE_SIZE = 60

// The shop in the browser shows its own page for a query that is none.
const CatalogueQuery = Type.Object({
  category: Type.Optional(Type.String()),
  q: Type.Optional(Type.String()),
  lang: Type.Optional(Type.String()),
})
const LanguageQuery = Type.Pick(CatalogueQuery, ['lang'])
const ProductParams = Type.Object({ productId: Type.String() })

/** Serves the pages of the shop. The catalogue and the products are readable without script. */
export function shopRoutes(app: App, { db, template, settings, pages }: ShopDeps): void {
  const { origin, shopName } = settings
  const allTexts = readShopTexts()
  const options = { onRequest: publicRoute, config: { countedAs: 'links' } } as const
  const send = async (
    request: FastifyRequest,
    reply: FastifyReply,
    { lang }: Static<typeof LanguageQuery>,
    pageOf: (texts: ReturnType<typeof chooseTexts>) => ShopPage,
    caching = REVALIDATE,
  ): Promise<FastifyReply> => {
    const texts = chooseTexts(allTexts, lang, request.headers['accept-language'])
    reply.header('Vary', 'Accept-Language')
    const html = renderShopPage(template, pageOf(texts), { texts, origin })
    return sendPage(request, reply, storedPage('text/html; charset=utf-8', html), caching)
  }

  app.get('/', { ...options, schema: { hide: true, querystring: CatalogueQuery } }, async (request, reply) => {
    const filter = filterOf(request.query)
    const { category, q: words } = filter
    const found = await listProducts(db, { status: 'active', category, words, after: undefined, limit: PAGE_SIZE })
    const page = toCutPage(found, toProductBody)
    return send(request, reply, request.query, (texts) => cataloguePage({ filter, page }, shopName, texts))
  })
  app.get(
    '/products/:productId',
    { ...options, schema: { hide: true, querystring: LanguageQuery, params: ProductParams } },
    async (request, reply) => {
      const product = await findProduct(db, request.params.productId)
      if (product === undefined) reply.status(404)
      return send(request, reply, request.query, (texts) =>
        product === undefined ? { title: shopName } : productPage(toProductBody(product), settings, texts),
      )
    },
  )
  for (const { path, caching } of pages) {
    app.get(path, { ...options, schema: { hide: true, querystring: LanguageQuery } }, async (request, reply) =>
      send(request, reply, request.query, () => ({ title: shopName }), caching),
    )
  }
  app.get('/sitemap.xml', { ...options, schema: { hide: true } }, async (request, reply) => {
    const text = sitemap(origin, await listActiveIds(db, MOST_ADDRESSES - 1))
    return sendPage(request, reply, storedPage('application/xml; charset=utf-8', text))
  })
  const robotsFile = storedPage('text/plain; charset=utf-8', robots(origin))
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
