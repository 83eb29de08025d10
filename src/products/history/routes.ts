import { requireRole } from '../../auth/index.ts'
import { readChangePage } from '../../change-records/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { PageQuery } from '../../platform/http/responses/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import { productProblems } from '../problems.ts'
import { ProductParams } from '../schemas.ts'
import { isProduct } from '../store.ts'
import { ProductChangePage, toProductChangeBody } from './schemas.ts'

/** Adds the route with which administrators see who changed what. */
export function historyRoutes(app: App, { db }: { db: Db }): void {
  app.get(
    '/products/:productId/history',
    {
      onRequest: requireRole('admin', 'products:read'),
      schema: {
        operationId: 'listProductChanges',
        tags: ['Products'],
        summary: 'List the changes of a product',
        description:
          'For administrators. Newest first. Each change names its actor and the values before and after. It is recorded in the transaction of the change. Changes that were made before this record existed, and those of processes of earlier releases, are missing; a gap in `revision` shows them.',
        params: ProductParams,
        querystring: PageQuery,
        response: { 200: ProductChangePage },
      },
    },
    async ({ params: { productId }, query }) => {
      if (!(await isProduct(db, productId))) throw productProblems.product_not_found()
      return readChangePage(db, query, { subject: 'product', subjectId: productId }, toProductChangeBody)
    },
  )
}
