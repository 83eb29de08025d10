import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { type Auth, requireRole } from '../../auth/index.ts'
import { editorOf } from '../../change-records/index.ts'
import type { Clock } from '../../platform/clock.ts'
import { CsvBody, csvRoute, ImportQuery, takeCsv } from '../../platform/csv/csv-body.ts'
import type { Db } from '../../platform/db/index.ts'
import { idempotently } from '../../platform/http/idempotency/idempotency.ts'
import type { App } from '../../platform/http/server.ts'
import { productProblems } from '../problems.ts'
import type { Product } from '../schemas.ts'
import { findIdsByName, findProduct, listPriceQuantities, listProducts } from '../store.ts'
import { checkLines, toImportBody } from './check-lines.ts'
import { FORMS, variantFile } from './export-variants.ts'
import { importVariants } from './import-variants.ts'
import { MAX_LINES, readVariantFile } from './read-file.ts'
import { ExportQuery, VariantFile, VariantImportBody } from './schemas.ts'

interface VariantFileDeps extends Pick<Auth, 'recordAdminAct'> {
  db: Db
  clock: Clock
}

/** Two thousand lines with many prices. */
const MAX_FILE_BYTES = 1_500_000

const tags = ['Products']

/** Adds the routes that write and read prices, SKUs, weights and availability of variants as CSV. */
export function variantFileRoutes(app: App, deps: VariantFileDeps): void {
  exportRoute(app, deps)
  // This route has a Fastify scope of its own, because other routes must not accept such bodies.
  app.register(async (scope: App) => importRoute(scope, deps))
}

function exportRoute(app: App, { db }: VariantFileDeps): void {
  app.get(
    '/products/variants/export',
    {
      onRequest: requireRole('admin', 'products:read'),
      schema: {
        operationId: 'exportVariants',
        tags,
        summary: 'Export prices and variants as CSV',
        description:
          'Returns a line for each variant: product id, revision, name and currency of the product, the size of its first print area, variant id, options, SKU, weight, availability, and a column `Price from N` for each quantity from which a price applies, in units of the currency. `POST /products/variants/import` reads the file.',
        querystring: ExportQuery,
        response: { 200: VariantFile },
      },
    },
    async ({ query: { status = 'active', format = 'comma' } }, reply) => {
      const quantities = await listPriceQuantities(db, status)
      const file = Readable.from(variantFile(allProducts(db, status), quantities, FORMS[format]))
      reply.header('Content-Disposition', `attachment; filename="variants-${status}.csv"`)
      return reply.type('text/csv; charset=utf-8').send(file)
    },
  )
}

async function* allProducts(db: Db, status: Product['status']): AsyncGenerator<Product> {
  let after: string | undefined
  do {
    const page = await listProducts(db, { status, category: undefined, words: undefined, after, limit: 20 })
    yield* page.rows
    after = page.nextAfter
  } while (after !== undefined)
}

async function importRoute(app: App, deps: VariantFileDeps): Promise<void> {
  const { db, clock } = deps
  takeCsv(app, MAX_FILE_BYTES)
  app.post(
    '/products/variants/import',
    {
      onRequest: requireRole('admin', 'products:write'),
      ...csvRoute(MAX_FILE_BYTES),
      config: { rateLimit: 'upload', honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'importVariants',
        problems: [productProblems.variant_file_invalid, productProblems.variant_file_faulty],
        tags,
        summary: 'Import prices and variants from CSV',
        description: `Takes a CSV file with a header and up to ${MAX_LINES} lines, one for each variant, such as a file of \`GET /products/variants/export\`. \`product id\` names a product, and \`variant id\` or \`SKU\` its variant; a line with both changes the SKU. Other columns are optional, and an empty field changes nothing: \`weight\` in grams, \`available\` (\`yes\` or \`no\`), and \`price from 1\`, \`price from 100\` and so on, in units of the currency. The prices of a line replace all tiers of the variant. Lines without a product id and with the name of no product in \`product\` create an archived product, with a variant for each line: they need \`currency\`, \`width\` and \`height\` in millimetres, \`SKU\`, \`weight\` and prices, and may have \`bleed\`, \`safe margin\` and \`options\` such as \`Paper: matt; Finish: gloss\`. \`POST /products/{productId}/restore\` puts the product in the shop. The same lines again create nothing. If \`revision\` is not the present one of the product, the line is faulty. Fields are separated by commas, semicolons or tabs, and numbers may have a decimal comma. The import takes all lines or none: if a line is faulty, 422 \`variant_file_faulty\` names line and column. \`dryRun=true\` reports each line and changes nothing.`,
        querystring: ImportQuery,
        body: CsvBody,
        response: { 200: VariantImportBody },
      },
    },
    async (request, reply) => {
      const bytes = request.body as unknown as Buffer
      const file = await readVariantFile(bytes)
      if (request.query.dryRun === 'true') {
        const lines = await checkLines(file, {
          findProduct: (id) => findProduct(db, id),
          findIdsByName: (names) => findIdsByName(db, names),
        })
        return toImportBody(true, lines, file.columns)
      }
      const fingerprint = createHash('sha256').update(bytes).digest('hex')
      return idempotently<VariantImportBody>(
        deps,
        request,
        reply,
        async (trx) => {
          const record = (product: Product) =>
            deps.recordAdminAct(trx, request, { setting: 'product', id: product.id, change: 'imported' })
          const lines = await importVariants(trx, file, { now: clock.now(), editor: editorOf(request), record })
          return { status: 200, body: toImportBody(false, lines, file.columns) }
        },
        fingerprint,
      )
    },
  )
}
