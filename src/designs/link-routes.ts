import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { createCachedBytes, PICTURES } from '../platform/concurrency/cached-bytes.ts'
import { signalOfHangUp } from '../platform/http/connections/hang-up.ts'
import { accountOf, principalOf } from '../platform/http/core/principal.ts'
import { httpProblems } from '../platform/http/core/problems.ts'
import { LINK_ROUTE_DESCRIPTION, LinkBody, LinkQuery, toLinkBody } from '../platform/http/links/link-schemas.ts'
import { allowEmbedding, requireLinked } from '../platform/http/links/signed-links.ts'
import { isNotModified, sendNotModified } from '../platform/http/responses/etag.ts'
import { STORED_FILE_RESPONSES, sendStored } from '../platform/http/responses/send-stored.ts'
import type { App } from '../platform/http/server.ts'
import { storageProblems } from '../platform/storage/index.ts'
import { requireDesignScope } from './access/require-design-scope.ts'
import { type RouteDeps, requireDesign } from './access/shared-routes.ts'
import { requireFile, requireNamedFile } from './files/stored-file.ts'
import { findPrintArea, previewDesign, previewFormat } from './preview-design.ts'
import { DRAW_PROBLEMS, designProblems } from './problems.ts'
import { bytesOf, DesignParams, FileParams, NewDesignLinkBody, PreviewLinkQuery } from './schemas.ts'
import { type Design, findLinkedDesign } from './store.ts'

const tags = ['Designs']
const PREVIEW = 'preview'
const DEFAULT_WIDTH_PX = 600

/** A draft can change, so clients show its linked preview for at most this long. */
const DRAFT_SECONDS = 60

const WAITING_PER_ACCOUNT = 100

export function designLinkRoutes(app: App, deps: RouteDeps): void {
  createLinkRoute(app, deps)
  linkedPreviewRoute(app, deps)

  app.get(
    '/links/designs/:designId/files/:fileId',
    {
      onRequest: deps.links.guard,
      config: { countedAs: 'links', limitsNetwork: true },
      schema: {
        operationId: 'getLinkedDesignFile',
        problems: [storageProblems.storage_unavailable],
        tags,
        summary: 'Download a file of a finalized design by its link',
        description: LINK_ROUTE_DESCRIPTION,
        params: FileParams,
        querystring: LinkQuery,
        response: { 200: bytesOf('The file.', 'application/pdf', 'image/webp'), ...STORED_FILE_RESPONSES },
      },
    },
    async (request, reply) => {
      const { designId, fileId } = request.params
      const design = await requireLinked(findLinkedDesign(deps.database.db, designId))
      allowEmbedding(reply)
      const lifeSeconds = deps.links.remainingSeconds(request)
      const file = await requireNamedFile(deps.database.db, design, fileId)
      return sendStored(request, reply, { storage: deps.storage, file, lifeSeconds })
    },
  )
}

function createLinkRoute(app: App, deps: RouteDeps): void {
  app.post(
    '/designs/:designId/links',
    {
      onRequest: requireDesignScope('designs:read'),
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'createDesignLink',
        problems: [
          designProblems.design_archived,
          designProblems.design_not_finalized,
          designProblems.file_not_found,
          designProblems.print_area_not_found,
        ],
        tags,
        summary: 'Create a signed link to a preview or a file of a design',
        description:
          'The link needs no credential, so pages can use it in `<img>`. It ends at `expiresAt`, and when the design is archived or its account deleted. `printAreaId` and `width` are only for `preview`. The linked preview of a draft shows its current content. The service stores no links, so `Idempotency-Key` has no effect: every request makes a new link.',
        params: DesignParams,
        body: NewDesignLinkBody,
        response: { 201: LinkBody },
      },
    },
    async (request, reply) => {
      const design = await requireDesign(deps, request.params.designId, principalOf(request))
      if (design.status === 'archived') throw designProblems.design_archived()
      const { file, printAreaId, width, expiresInSeconds: lifeSeconds } = request.body
      const path = `/links/designs/${design.id}`
      if (file === PREVIEW) {
        const shownId = await findPrintArea(deps.database.db, design, printAreaId)
        const query = { printAreaId: shownId, width: String(width ?? DEFAULT_WIDTH_PX) }
        return reply.code(201).send(toLinkBody(deps.links.make(`${path}/preview`, { query, lifeSeconds })))
      }
      refusePreviewMembers({ printAreaId, width })
      requireFile(design, file)
      return reply.code(201).send(toLinkBody(deps.links.make(`${path}/files/${file}`, { lifeSeconds })))
    },
  )
}

/** @throws `validation_failed` */
function refusePreviewMembers(members: Record<string, unknown>): void {
  const given = Object.keys(members).filter((name) => members[name] !== undefined)
  if (given.length === 0) return
  const detail = 'This is possible only with the file `preview`.'
  const errors = given.map((name) => ({ code: 'unknown_member', pointer: `/${name}`, detail }))
  throw httpProblems.validation_failed({ detail: 'Only a preview has a print area and a width.', errors })
}

function linkedPreviewRoute(app: App, deps: RouteDeps): void {
  const drawn = createCachedBytes({
    ...PICTURES,
    waiting: {
      max: WAITING_PER_ACCOUNT,
      whenFull: () => designProblems.renderer_busy({ headers: { 'Retry-After': '5' } }),
    },
  })
  app.get(
    '/links/designs/:designId/preview',
    {
      onRequest: deps.links.guard,
      config: { countedAs: 'links', limitsNetwork: true, honours: ['Accept'] },
      schema: {
        operationId: 'getLinkedDesignPreview',
        problems: [...DRAW_PROBLEMS, designProblems.print_area_not_found],
        tags,
        summary: 'Render a preview of a design by its link',
        description: `${LINK_ROUTE_DESCRIPTION} Returns PNG or WebP according to \`Accept\`, WebP by default.`,
        params: DesignParams,
        querystring: PreviewLinkQuery,
        response: { 200: bytesOf('The image.', 'image/webp', 'image/png'), 304: Type.Null() },
      },
    },
    async (request, reply) => {
      const format = previewFormat(request.headers.accept)
      const design = await requireLinked(findLinkedDesign(deps.database.db, request.params.designId))
      const { printAreaId, width: widthPx } = request.query
      // The variant of a draft may have changed since.
      await requireLinked(findPrintArea(deps.database.db, design, printAreaId))
      allowEmbedding(reply)
      reply
        .header('Cache-Control', `private, max-age=${lifeOf(deps, design, request)}`)
        .header('Vary', 'Accept, Origin')
      // The viewer's account, so that a published link takes no processing time from the owner of the design.
      const account = accountOf(request)
      const options = { printAreaId, widthPx, format }
      const preview = await previewDesign(
        deps.database.db,
        { ...deps, account, signal: signalOfHangUp(reply) },
        design,
        options,
      )
      if (isNotModified(request, reply, preview.etag)) return sendNotModified(reply)
      const bytes = await drawn.read(`${design.ownerId} ${preview.etag}`, { account, make: () => preview.draw() })
      return reply.type(`image/${format}`).send(Buffer.from(bytes))
    },
  )
}

function lifeOf({ links }: RouteDeps, { finalization }: Design, request: FastifyRequest): number {
  const remaining = links.remainingSeconds(request)
  return finalization === null ? Math.min(DRAFT_SECONDS, remaining) : remaining
}
