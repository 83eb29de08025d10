import { anyone, requireRole } from '../auth/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import { idempotently } from '../platform/http/idempotency.ts'
import { locationOfNew } from '../platform/http/location.ts'
import { readCursor, toCutPage } from '../platform/http/pagination.ts'
import type { App } from '../platform/http/server.ts'
import { changeProduct, createProduct } from './change-product.ts'
import { productProblems } from './problems.ts'
import {
  NewProductBody,
  ProductBody,
  ProductChangesBody,
  ProductListQuery,
  ProductPage,
  ProductParams,
  toProductBody,
} from './schemas.ts'
import { findProduct, listProducts } from './store.ts'

const tags = ['Products']
const requireCatalogueAdmin = requireRole('admin', 'products:write')

/** Reading the catalogue is open to everyone; changing it is for administrators. */
export function productRoutes(app: App, deps: { db: Db; clock: Clock }): void {
  const { db, clock } = deps

  app.get(
    '/products',
    {
      onRequest: anyone,
      schema: {
        operationId: 'listProducts',
        tags,
        summary: 'List products of one status, active ones by default',
        querystring: ProductListQuery,
        response: { 200: ProductPage },
      },
    },
    async ({ query }) => {
      const page = { status: query.status ?? 'active', after: readCursor(query), limit: query.limit }
      return toCutPage(await listProducts(db, page), toProductBody)
    },
  )

  app.get(
    '/products/:productId',
    {
      onRequest: anyone,
      schema: {
        operationId: 'getProduct',
        tags,
        summary: 'Read a product, also an archived one',
        params: ProductParams,
        response: { 200: ProductBody },
      },
    },
    async (request) => {
      const product = await findProduct(db, request.params.productId)
      if (product === undefined) throw productProblems.product_not_found()
      return toProductBody(product)
    },
  )

  app.post(
    '/products',
    {
      onRequest: requireCatalogueAdmin,
      schema: {
        operationId: 'createProduct',
        tags,
        summary: 'Add a product',
        body: NewProductBody,
        response: { 201: ProductBody },
      },
    },
    async (request, reply) =>
      idempotently(deps, request, reply, async (trx) => {
        const product = await createProduct(trx, request.body, clock.now())
        return { status: 201, body: toProductBody(product), headers: locationOfNew(request, product) }
      }),
  )

  app.patch(
    '/products/:productId',
    {
      onRequest: requireCatalogueAdmin,
      schema: {
        operationId: 'changeProduct',
        tags,
        summary: 'Replace the named members of a product; finalized designs and orders are not altered',
        params: ProductParams,
        body: ProductChangesBody,
        response: { 200: ProductBody },
      },
    },
    async ({ params, body }) => {
      const change = db.transaction().execute((trx) => changeProduct(trx, params.productId, body, clock.now()))
      return toProductBody(await change)
    },
  )

  app.post(
    '/products/:productId/archive',
    {
      onRequest: requireCatalogueAdmin,
      schema: {
        operationId: 'archiveProduct',
        tags,
        summary: 'Take a product out of the catalogue; it can still be read',
        params: ProductParams,
        response: { 200: ProductBody },
      },
    },
    async ({ params }) => {
      const changes = { status: 'archived' } as const
      const change = db.transaction().execute((trx) => changeProduct(trx, params.productId, changes, clock.now()))
      return toProductBody(await change)
    },
  )
}
