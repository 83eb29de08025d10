import { type Auth, anyone, hasPermission, insufficientScope, requireRole } from '../auth/index.ts'
import { type Editor, editorOf } from '../change-records/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { HttpRequest } from '../platform/http/core/request.ts'
import { idempotently } from '../platform/http/idempotency/idempotency.ts'
import type { ConditionalRequest } from '../platform/http/responses/etag.ts'
import { locationOfNew } from '../platform/http/responses/location.ts'
import { readCursor, toCutPage } from '../platform/http/responses/pagination.ts'
import type { App } from '../platform/http/server.ts'
import { type ChangeOptions, changeProduct, createProduct } from './change-product.ts'
import { historyRoutes } from './history/routes.ts'
import { etagOf, versionOf, withETag } from './if-match.ts'
import { type ImageDeps, productImageRoutes } from './images/routes.ts'
import { pricePreviewRoutes } from './price-preview/routes.ts'
import { productProblems } from './problems.ts'
import {
  NewProductBody,
  type Product,
  ProductBody,
  ProductChangesBody,
  ProductListQuery,
  ProductPage,
  ProductParams,
  toProductBody,
} from './schemas.ts'
import { findProduct, listProducts } from './store.ts'
import { variantFileRoutes } from './variant-file/routes.ts'

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
  historyRoutes(app, deps)
  pricePreviewRoutes(app)
  variantFileRoutes(app, deps)

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
      config: { sets: ['ETag'] },
      schema: {
        operationId: 'getProduct',
        tags,
        summary: 'Read a product',
        description:
          'Also returns archived products. The `ETag` is the version for `If-Match`, with which changes require that the product has not changed since it was read.',
        params: ProductParams,
        response: { 200: ProductBody },
      },
    },
    async (request, reply) => {
      const product = await findProduct(db, request.params.productId)
      if (product === undefined) throw productProblems.product_not_found()
      return withETag(reply, toProductBody(product))
    },
  )

  app.post(
    '/products',
    {
      onRequest: requireCatalogueAdmin,
      config: { honours: ['Idempotency-Key'], sets: ['Location', 'ETag'] },
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
        const product = await createProduct(trx, request.body, clock.now(), editorOfImages(request))
        await recordAdminAct(trx, request, { setting, id: product.id, change: 'created' })
        const headers = { ...locationOfNew(request, product), ETag: etagOf(product) }
        return { status: 201, body: toProductBody(product), headers }
      }),
  )

  app.patch(
    '/products/:productId',
    {
      onRequest: requireCatalogueAdmin,
      config: { honours: ['If-Match'], sets: ['ETag'] },
      schema: {
        operationId: 'changeProduct',
        problems: [productProblems.product_invalid],
        tags,
        summary: 'Change a product',
        description:
          'Replaces the members that it names. In `variants`, an entry with `id` keeps its id, an entry without `id` gets a new one, and a variant that is left out is removed. Finalized designs and orders do not change. If the product is not the version of `If-Match`, 412 `precondition_failed` contains the present `product`.',
        params: ProductParams,
        body: ProductChangesBody,
        response: { 200: ProductBody },
      },
    },
    async (request, reply) => {
      const { body } = request
      const change = body.status === 'archived' ? 'archived' : 'changed'
      const product = await applyChange(request, body, change, editorOfImages(request))
      return withETag(reply, toProductBody(product))
    },
  )

  const statusRoute = (change: 'archived' | 'restored', schema: StatusSchema) =>
    app.post(
      `/products/:productId/${change === 'archived' ? 'archive' : 'restore'}`,
      {
        onRequest: requireCatalogueAdmin,
        config: { honours: ['If-Match'], sets: ['ETag'] },
        schema: { ...schema, tags, params: ProductParams, response: { 200: ProductBody } },
      },
      async (request, reply) => {
        const product = await applyChange(
          request,
          { status: change === 'archived' ? change : 'active' },
          change,
          editorOf(request),
        )
        return withETag(reply, toProductBody(product))
      },
    )
  statusRoute('archived', {
    operationId: 'archiveProduct',
    summary: 'Archive a product',
    description:
      'Removes the product from the list of active products. It can still be read. A draft of an archived product can be saved but not finalized, and an expired price lock cannot be renewed.',
  })
  statusRoute('restored', {
    operationId: 'restoreProduct',
    summary: 'Restore an archived product',
    description: 'The shop lists the product again, and its drafts can be finalized.',
  })

  /** Changes a product and records the change, in one transaction. */
  function applyChange(
    request: ProductRequest,
    changes: ProductChangesBody,
    change: string,
    editor: Editor,
  ): Promise<Product> {
    const options: ChangeOptions = { editor, requireVersion: versionOf(request) }
    return db.transaction().execute(async (trx) => {
      const changed = await changeProduct(trx, request.params.productId, changes, clock.now(), options)
      await recordAdminAct(trx, request, { setting, id: changed.id, change })
      return changed
    })
  }
}

type ProductRequest = HttpRequest & ConditionalRequest & { params: { productId: string } }

interface StatusSchema {
  operationId: string
  summary: string
  description: string
}

/**
 * Returns the editor of a request, whose assets its images may name.
 *
 * @throws `insufficient_scope` for an API key that cannot read them, because anyone can read the images of a product
 */
function editorOfImages(request: HttpRequest & { body: { images?: unknown[] } }): Editor {
  const { images = [] } = request.body
  if (images.length > 0 && !hasPermission(request, 'assets:read'))
    throw insufficientScope('assets:read', 'The credential lacks `assets:read`, which the images of a product need.')
  return editorOf(request)
}
