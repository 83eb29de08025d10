import { type Auth, anyone, hasPermission, insufficientScope, requireRole } from '../auth/index.ts'
import type { Clock } from '../platform/clock.ts'
import { principalOf } from '../platform/http/core/principal.ts'
import type { HttpRequest } from '../platform/http/core/request.ts'
import { idempotently } from '../platform/http/idempotency/idempotency.ts'
import { locationOfNew } from '../platform/http/responses/location.ts'
import { readCursor, toCutPage } from '../platform/http/responses/pagination.ts'
import type { App } from '../platform/http/server.ts'
import { changeProduct, createProduct } from './change-product.ts'
import { type ImageDeps, productImageRoutes } from './images/routes.ts'
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
const setting = 'product'
const requireCatalogueAdmin = requireRole('admin', 'products:write')

interface ProductDeps extends ImageDeps, Pick<Auth, 'recordAdminAct'> {
  clock: Clock
}

/** Everyone can read the catalogue. Only administrators can change it. */
export function productRoutes(app: App, deps: ProductDeps): void {
  const { db, clock, recordAdminAct } = deps
  productImageRoutes(app, deps)

  app.get(
    '/products',
    {
      onRequest: anyone,
      schema: {
        operationId: 'listProducts',
        tags,
        summary: 'List products',
        description: 'Lists active products by `sort`, then by name. `status=archived` lists archived ones instead.',
        querystring: ProductListQuery,
        response: { 200: ProductPage },
      },
    },
    async ({ query }) => {
      const { status = 'active', category, q: words, limit } = query
      const filter = { status, category, words, after: readCursor(query), limit }
      return toCutPage(await listProducts(db, filter), toProductBody)
    },
  )

  app.get(
    '/products/:productId',
    {
      onRequest: anyone,
      schema: {
        operationId: 'getProduct',
        tags,
        summary: 'Read a product',
        description: 'Also returns archived products.',
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
      config: { honours: ['Idempotency-Key'], sets: ['Location'] },
      schema: {
        operationId: 'createProduct',
        problems: [productProblems.product_invalid],
        tags,
        summary: 'Create a product',
        description:
          'The security events record the creation and each change of a product as `shop_settings_changed`, with `"setting": "product"`.',
        body: NewProductBody,
        response: { 201: ProductBody },
      },
    },
    async (request, reply) =>
      idempotently(deps, request, reply, async (trx) => {
        const product = await createProduct(trx, request.body, clock.now(), ownerOfImages(request))
        await recordAdminAct(trx, request, { setting, id: product.id, change: 'created' })
        return { status: 201, body: toProductBody(product), headers: locationOfNew(request, product) }
      }),
  )

  app.patch(
    '/products/:productId',
    {
      onRequest: requireCatalogueAdmin,
      schema: {
        operationId: 'changeProduct',
        problems: [productProblems.product_invalid],
        tags,
        summary: 'Change a product',
        description:
          'Replaces the members that it names. In `variants`, an entry with `id` keeps its id, an entry without `id` gets a new one, and a variant that is left out is removed. `"status": "active"` restores an archived product. Finalized designs and orders do not change.',
        params: ProductParams,
        body: ProductChangesBody,
        response: { 200: ProductBody },
      },
    },
    async (request) => {
      const { params, body } = request
      const product = await db.transaction().execute(async (trx) => {
        const changed = await changeProduct(trx, params.productId, body, clock.now(), ownerOfImages(request))
        const change = body.status === 'archived' ? 'archived' : 'changed'
        await recordAdminAct(trx, request, { setting, id: changed.id, change })
        return changed
      })
      return toProductBody(product)
    },
  )

  app.post(
    '/products/:productId/archive',
    {
      onRequest: requireCatalogueAdmin,
      schema: {
        operationId: 'archiveProduct',
        tags,
        summary: 'Archive a product',
        description:
          'Removes the product from the list of active products. It can still be read. `PATCH` with `"status": "active"` undoes this. A draft of an archived product can be saved but not finalized, and an expired price lock cannot be renewed.',
        params: ProductParams,
        response: { 200: ProductBody },
      },
    },
    async (request) => {
      const product = await db.transaction().execute(async (trx) => {
        const archived = await changeProduct(trx, request.params.productId, { status: 'archived' }, clock.now())
        await recordAdminAct(trx, request, { setting, id: archived.id, change: 'archived' })
        return archived
      })
      return toProductBody(product)
    },
  )
}

/**
 * Returns the account whose assets the images of a request may name.
 *
 * @throws `insufficient_scope` for an API key that cannot read them, because anyone can read the images of a product
 */
function ownerOfImages(request: HttpRequest & { body: { images?: unknown[] } }): string {
  const { images = [] } = request.body
  if (images.length > 0 && !hasPermission(request, 'assets:read'))
    throw insufficientScope('assets:read', 'The credential lacks `assets:read`, which the images of a product need.')
  return principalOf(request).userId
}
