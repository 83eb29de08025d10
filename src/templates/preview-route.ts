import { createHash } from 'node:crypto'
import { Type } from 'typebox'
import { SHOP_OWNER } from '../assets/index.ts'
import { anyone } from '../auth/index.ts'
import { createCachedBytes, PICTURES } from '../platform/concurrency/cached-bytes.ts'
import type { Db } from '../platform/db/index.ts'
import { accountOf } from '../platform/http/core/principal.ts'
import { httpProblems } from '../platform/http/core/problems.ts'
import { allowEmbedding } from '../platform/http/links/signed-links.ts'
import { isNotModified, sendNotModified } from '../platform/http/responses/etag.ts'
import type { App } from '../platform/http/server.ts'
import { storageProblems } from '../platform/storage/index.ts'
import { findProduct, type PrintArea } from '../products/index.ts'
import { templateProblems } from './problems.ts'
import { TemplateParams, TemplatePreview, TemplatePreviewQuery } from './schemas.ts'
import { findTemplate, type Template } from './store.ts'

export interface PreviewRequest {
  printAreaId: string
  widthPx: number
  /** Whose processing time the drawing takes. */
  account: string
}

/** Draws one print area of a template as WebP, in another process. */
export type DrawPreview = (template: DrawnTemplate, request: PreviewRequest) => Promise<Uint8Array>

export interface DrawnTemplate extends Pick<Template, 'productId' | 'documentJson'> {
  /** The owner of its images. */
  ownerId: string
}

export interface PreviewDeps {
  db: Db
  drawPreview: DrawPreview
}

/** Changes when previews look different. */
const VERSION = 'p1'

const WAITING_PER_ACCOUNT = 200

/** The product of a template, and so its preview, may change. */
const AN_HOUR = 'public, max-age=3600'

/** Adds the route that shows previews of templates to everyone. A process draws each preview once. */
export function previewRoute(app: App, { db, drawPreview }: PreviewDeps): void {
  const whenFull = () => httpProblems.service_unavailable({ headers: { 'Retry-After': '3' } })
  const drawn = createCachedBytes({ ...PICTURES, waiting: { max: WAITING_PER_ACCOUNT, whenFull } })

  app.get(
    '/templates/:templateId/preview',
    {
      onRequest: anyone,
      config: { countedAs: 'links' },
      schema: {
        operationId: 'previewTemplate',
        problems: [templateProblems.print_area_not_found, storageProblems.storage_unavailable],
        tags: ['Templates'],
        summary: 'Download a preview of a template',
        description: 'Returns WebP: one print area as it looks when cut. The response needs no credential.',
        params: TemplateParams,
        querystring: TemplatePreviewQuery,
        response: { 200: TemplatePreview, 304: Type.Null() },
      },
    },
    async (request, reply) => {
      const template = await findTemplate(db, request.params.templateId)
      if (template === undefined) throw templateProblems.template_not_found()
      const product = await findProduct(db, template.productId)
      const { printAreaId, width: widthPx } = request.query
      const area = requireArea(product?.printAreas ?? [], printAreaId)
      const key = createHash('sha256')
        .update(JSON.stringify([VERSION, template.id, area, widthPx]))
        .digest('base64url')
      allowEmbedding(reply)
      reply.header('Cache-Control', AN_HOUR)
      if (isNotModified(request, reply, `"${key}"`)) return sendNotModified(reply)
      const account = accountOf(request)
      const make = () => drawPreview({ ...template, ownerId: SHOP_OWNER }, { printAreaId: area.id, widthPx, account })
      return reply.type('image/webp').send(Buffer.from(await drawn.read(key, { account, make })))
    },
  )
}

function requireArea(areas: readonly PrintArea[], wanted: string | undefined): PrintArea {
  const area = wanted === undefined ? areas[0] : areas.find(({ id }) => id === wanted)
  if (area === undefined) throw templateProblems.print_area_not_found()
  return area
}
