import { Type } from 'typebox'
import { signalOfHangUp } from '../platform/http/connections/hang-up.ts'
import { principalOf } from '../platform/http/core/principal.ts'
import { isNotModified, sendNotModified } from '../platform/http/responses/etag.ts'
import { STORED_FILE_RESPONSES, sendStored } from '../platform/http/responses/send-stored.ts'
import type { App } from '../platform/http/server.ts'
import { storageProblems } from '../platform/storage/index.ts'
import { requireDesignScope } from './access/require-design-scope.ts'
import { type RouteDeps, requireDesign } from './access/shared-routes.ts'
import { requireRoom } from './files/render-input.ts'
import { requireNamedFile } from './files/stored-file.ts'
import { readValues } from './personalization/read-values.ts'
import { previewDesign, previewFormat } from './preview-design.ts'
import { DRAW_PROBLEMS, designProblems } from './problems.ts'
import { bytesOf, DesignParams, FileParams, PreviewQuery } from './schemas.ts'

const tags = ['Designs']

export function designFileRoutes(app: App, deps: RouteDeps): void {
  app.get(
    '/designs/:designId/preview',
    {
      onRequest: requireDesignScope('designs:read'),
      config: { honours: ['Accept'] },
      schema: {
        operationId: 'previewDesign',
        problems: [...DRAW_PROBLEMS, designProblems.print_area_not_found],
        tags,
        summary: 'Render a preview of one print area',
        description:
          'Returns PNG or WebP according to `Accept`, WebP by default. The preview shows the print area as it looks when cut: outside an ellipse it is white. Every print area has a preview, even an empty one.',
        params: DesignParams,
        querystring: PreviewQuery,
        response: { 200: bytesOf('The image.', 'image/webp', 'image/png'), 304: Type.Null() },
      },
    },
    async (request, reply) => {
      const format = previewFormat(request.headers.accept)
      const caller = principalOf(request)
      await requireRoom(deps.renderer, caller.userId)
      const design = await requireDesign(deps, request.params.designId, caller)
      const { printAreaId, width: widthPx, data } = request.query
      const values = data === undefined ? {} : { values: readValues(data) }
      const previewDeps = { ...deps, signal: signalOfHangUp(reply) }
      const options = { printAreaId, widthPx, format, ...values }
      const preview = await previewDesign(deps.database.db, previewDeps, design, options)
      reply.header('Cache-Control', 'private, no-cache').header('Vary', 'Accept, Origin')
      if (isNotModified(request, reply, preview.etag)) return sendNotModified(reply)
      return reply.type(`image/${format}`).send(Buffer.from(await preview.draw(previewDeps.signal)))
    },
  )

  app.get(
    '/designs/:designId/files/:fileId',
    {
      onRequest: requireDesignScope('designs:read'),
      schema: {
        operationId: 'getDesignFile',
        problems: [
          designProblems.design_not_finalized,
          designProblems.file_not_found,
          storageProblems.storage_unavailable,
        ],
        tags,
        summary: 'Download a print file or preview of a finalized design',
        description:
          '`files` of the finalization lists the ids. A file never changes, so a client can cache it. With storage in S3, the response is 302 to a signed URL of the bucket.',
        params: FileParams,
        response: { 200: bytesOf('The file.', 'application/pdf', 'image/webp'), ...STORED_FILE_RESPONSES },
      },
    },
    async (request, reply) => {
      const { designId, fileId } = request.params
      const design = await requireDesign(deps, designId, principalOf(request))
      const file = await requireNamedFile(deps.database.db, design, fileId)
      return sendStored(request, reply, { storage: deps.storage, file })
    },
  )

  app.get(
    '/designs/:designId/receipt',
    {
      onRequest: requireDesignScope('designs:read'),
      schema: {
        operationId: 'getDesignReceipt',
        problems: [designProblems.design_not_finalized],
        tags,
        summary: 'Read the signed receipt of a finalized design',
        description: 'Returns a compact JWS. `platen verify RECEIPT FILE...` checks the receipt and the files.',
        params: DesignParams,
        response: { 200: bytesOf('The receipt.', 'application/jose') },
      },
    },
    async (request, reply) => {
      const { finalization } = await requireDesign(deps, request.params.designId, principalOf(request))
      if (finalization === null) throw designProblems.design_not_finalized()
      return reply.type('application/jose').send(finalization.price.receipt)
    },
  )
}
