import { requireRole } from '../../auth/index.ts'
import { DRAW_PROBLEMS } from '../../designs/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Db } from '../../platform/db/index.ts'
import { signalOfHangUp } from '../../platform/http/connections/hang-up.ts'
import { principalOf } from '../../platform/http/core/principal.ts'
import type { App } from '../../platform/http/server.ts'
import { archivePrintFiles } from './archive-files.ts'
import { collectPrintFiles } from './collect.ts'
import { type MergingDeps, mergeFilesOfOrders, requireFewPages } from './merge-files.ts'
import { printFileProblems } from './problems.ts'
import { PrintFilesBody, PrintFilesBytes } from './schemas.ts'
import { prepareInTurn } from './turns.ts'

export type PrintFileDeps = MergingDeps & { db: Db; clock: Clock }

export function printFileRoutes(app: App, deps: PrintFileDeps): void {
  app.post(
    '/production/print-files',
    {
      onRequest: requireRole('operator', 'orders:read'),
      schema: {
        operationId: 'downloadPrintFiles',
        problems: [
          printFileProblems.print_files_unavailable,
          printFileProblems.print_files_too_large,
          ...DRAW_PROBLEMS,
        ],
        tags: ['Production'],
        summary: 'Download the print files of up to 200 orders',
        description:
          'Changes nothing. The response has the print files of all items or is refused: a file that is not ready, has failed, was erased or is damaged leads to 409 `print_files_unavailable`, as do orders that are unpaid, on hold or cancelled, and `errors` names each. In the archive, `PL-7KQ4-M2XD/02-CARD-MATT-x100.pdf` is the second item of an order, of which 100 pieces are to be printed; `manifest.json` lists the files with order, item, quantity and SHA-256. The archive is streamed and has at most 2 GiB. The PDF has every print file once, whatever the quantity, with its pages, boxes, colours, layers and output intent unchanged; what several files contain is stored once. Its document ids, metadata and names of font subsets are its own. Its files must have one printing condition, at most 512 MiB without repetitions, and 5000 pages. If a response ends before its `Content-Length`, it is not complete: repeat the request.',
        body: PrintFilesBody,
        response: { 200: PrintFilesBytes },
      },
    },
    async (request, reply) => {
      const { format, orderIds } = request.body
      const requester = { owner: principalOf(request).userId, signal: signalOfHangUp(reply) }
      const { stream, bytes } = await prepareInTurn(
        requester,
        () => collectPrintFiles(deps.db, orderIds, format === 'pdf' ? requireFewPages : undefined),
        async (files) =>
          format === 'zip'
            ? archivePrintFiles({ storage: deps.storage, now: deps.clock.now() }, files)
            : mergeFilesOfOrders(deps, files, { orderIds, ...requester }),
      )
      return reply
        .type(`application/${format}`)
        .header('Content-Length', bytes)
        .header('Content-Disposition', `attachment; filename="print-files.${format}"`)
        .send(stream)
    },
  )
}
