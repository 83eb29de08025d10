import { createHash } from 'node:crypto'
import { requireRole } from '../../../auth/index.ts'
import { CsvBody, csvRoute, takeCsv } from '../../../platform/csv/csv-body.ts'
import { principalOf } from '../../../platform/http/core/principal.ts'
import { withReservedKey } from '../../../platform/http/idempotency/idempotency.ts'
import type { App } from '../../../platform/http/server.ts'
import { type ActionDeps, actingUser } from '../../order/change/action-context.ts'
import { orderProblems } from '../../problems.ts'
import { checkImport, MAX_LINES, shipLines, toImportBody } from './import-shipments.ts'
import { ImportBody, ShipmentImportQuery } from './schemas.ts'

/** A thousand lines with the longest carrier, tracking number and URL. */
const MAX_FILE_BYTES = 1_500_000

export function shipmentImportRoutes(app: App, deps: ActionDeps): void {
  // This route has a Fastify scope of its own, because other routes must not accept such bodies.
  app.register(async (scope: App) => importRoute(scope, deps))
}

async function importRoute(app: App, deps: ActionDeps): Promise<void> {
  takeCsv(app, MAX_FILE_BYTES)

  app.post(
    '/production/shipments/import',
    {
      onRequest: requireRole('operator', 'shipping:write'),
      ...csvRoute(MAX_FILE_BYTES),
      config: { rateLimit: 'upload', honours: ['Idempotency-Key'] },
      schema: {
        operationId: 'importShipments',
        problems: [orderProblems.shipment_file_invalid],
        tags: ['Production'],
        summary: 'Ship orders from a CSV file',
        description: `Takes a CSV file with a header and up to ${MAX_LINES} lines, one for each order that has left in one parcel. Columns: \`order\` (number or id) and \`carrier\`, and optionally \`tracking number\`, \`tracking URL\` and \`shipped at\` (\`2026-11-28\`, \`28.11.2026\` or a timestamp). Fields are separated by commas, semicolons or tabs, as Excel writes them; the encoding is UTF-8, UTF-16 or Windows-1252. Each order is shipped in a transaction of its own, with all that is left. Faulty lines are reported with the column and the reason, and do not affect the others. A line whose parcel has been recorded before is \`unchanged\`, so that the same file ships nothing twice. Values that begin like a formula are refused, because they would run where a spreadsheet opens an export of them. After a minute the remaining lines fail with \`service_unavailable\`: send the file again. To see the progress of a large file, send it several times, each time with \`firstLine\` and \`lastLine\` of another part.`,
        querystring: ShipmentImportQuery,
        body: CsvBody,
        response: { 200: ImportBody },
      },
    },
    async (request, reply) => {
      const { dryRun, firstLine = 1, lastLine = Number.POSITIVE_INFINITY } = request.query
      const isDryRun = dryRun === 'true'
      const bytes = request.body as Buffer
      const importFile = async () => {
        const { lines: all, columns } = await checkImport(deps, bytes)
        // All lines are checked, because a line is faulty if an earlier part names the same order.
        const lines = all.filter(({ line }) => line >= firstLine && line <= lastLine)
        if (isDryRun) return { status: 200, body: toImportBody(true, lines, columns), isRepeatable: true }
        const shipped = await shipLines(deps, actingUser(principalOf(request), 'operator'), lines, request)
        const body = toImportBody(false, shipped.lines, columns)
        return { status: 200, body, isRepeatable: shipped.isRepeatable }
      }
      const fingerprint = createHash('sha256').update(bytes).digest('hex')
      return withReservedKey<ImportBody>(deps, request, reply, importFile, fingerprint)
    },
  )
}
