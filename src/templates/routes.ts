import type { FastifyReply } from 'fastify'
import {
  type Auth,
  anyone,
  hasPermission,
  insufficientScope,
  PERMISSION_PROBLEMS,
  requirePermission,
  requireRole,
} from '../auth/index.ts'
import { editorOf } from '../change-records/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import type { HttpRequest } from '../platform/http/core/request.ts'
import { idempotently } from '../platform/http/idempotency/idempotency.ts'
import { EmptyBody } from '../platform/http/input/empty-body.ts'
import { locationOfNew } from '../platform/http/responses/location.ts'
import { nextCursorOf, readCursor, sendPageText } from '../platform/http/responses/pagination.ts'
import type { App } from '../platform/http/server.ts'
import { changeTemplate, setTemplateStatus } from './change-template.ts'
import { type PreviewDeps, previewRoute } from './preview-route.ts'
import { templateProblems } from './problems.ts'
import { type FindPublishable, publishTemplate } from './publish-template.ts'
import {
  NewTemplateBody,
  summaryJson,
  TemplateBody,
  TemplateChangesBody,
  TemplateListQuery,
  TemplatePage,
  TemplateParams,
  templateJson,
  toTemplateBody,
} from './schemas.ts'
import { findTemplate, listTemplateSummaries, listTemplates } from './store.ts'

export type { DrawPreview } from './preview-route.ts'

const tags = ['Templates']
const setting = 'template'
const requireCatalogueAdmin = requireRole('admin', 'products:write')

interface TemplateDeps extends PreviewDeps, Pick<Auth, 'recordAdminAct'> {
  db: Db
  clock: Clock
  findDesign: FindPublishable
  /** The installed fonts. */
  families: readonly { family: string }[]
}

/** Everyone can read templates. Only administrators publish and change them. */
export function templateRoutes(app: App, deps: TemplateDeps): void {
  readRoutes(app, deps)
  previewRoute(app, deps)
  publishRoute(app, deps)
  changeRoutes(app, deps)
}

function readRoutes(app: App, { db }: TemplateDeps): void {
  app.get(
    '/templates',
    {
      onRequest: anyone,
      schema: {
        operationId: 'listTemplates',
        problems: PERMISSION_PROBLEMS,
        tags,
        summary: 'List templates',
        description:
          'Newest first: the active templates of active products. `status=archived` lists the archived templates of all products instead, for administrators.',
        querystring: TemplateListQuery,
        response: { 200: TemplatePage },
      },
    },
    async (request, reply) => {
      const { query } = request
      const { productId, category, view, status = 'active', limit } = query
      if (status === 'archived') requirePermission(request, 'products:write')
      const filter = { productId, category, status, after: readCursor(query), limit }
      if (view === 'summary') {
        const { rows, nextAfter } = await listTemplateSummaries(db, filter)
        return sendPageText(reply, rows.map(summaryJson), nextCursorOf(nextAfter))
      }
      const { rows, nextAfter } = await listTemplates(db, filter)
      return sendPageText(reply, rows.map(templateJson), nextCursorOf(nextAfter))
    },
  )

  app.get(
    '/templates/:templateId',
    {
      onRequest: anyone,
      schema: {
        operationId: 'getTemplate',
        tags,
        summary: 'Read a template',
        description: 'Returns its document with the locks of the layers. An archived template is 404.',
        params: TemplateParams,
        response: { 200: TemplateBody },
      },
    },
    async (request, reply) => {
      const template = await findTemplate(db, request.params.templateId)
      if (template === undefined) throw templateProblems.template_not_found()
      return sendJson(reply, templateJson(template))
    },
  )
}

function publishRoute(app: App, deps: TemplateDeps): void {
  const installed = new Set(deps.families.map(({ family }) => family))
  app.post(
    '/templates',
    {
      onRequest: requireCatalogueAdmin,
      config: { honours: ['Idempotency-Key'], sets: ['Location'] },
      schema: {
        operationId: 'createTemplate',
        problems: [
          templateProblems.design_not_found,
          templateProblems.design_not_draft,
          templateProblems.template_invalid,
        ],
        tags,
        summary: 'Publish a draft as a template',
        description:
          'Copies the document of a draft of the caller. Its images become images of the shop, which designs from the template can use without charge to the storage quota. A draft with uploaded fonts is 422 `template_invalid`. Later changes of the draft do not change the template. API keys also need `designs:read` and `assets:read`. The security events record it as `shop_settings_changed` with `"setting": "template"`.',
        body: NewTemplateBody,
        response: { 201: TemplateBody },
      },
    },
    async (request, reply) => {
      requireReading(request)
      return idempotently(deps, request, reply, async (trx) => {
        const publication = { editor: editorOf(request), input: request.body, now: deps.clock.now(), installed }
        const template = await publishTemplate(trx, deps.findDesign, publication)
        await deps.recordAdminAct(trx, request, { setting, id: template.id, change: 'created' })
        return { status: 201, body: toTemplateBody(template), headers: locationOfNew(request, template) }
      })
    },
  )
}

/** Sends a template without parsing its document, which may have a megabyte. */
function sendJson(reply: FastifyReply, text: string): FastifyReply {
  return reply.type('application/json; charset=utf-8').send(text)
}

/**
 * Everyone can read a template, so a key that publishes a draft needs the permissions to read it.
 *
 * @throws `insufficient_scope`
 */
function requireReading(request: HttpRequest): void {
  for (const permission of ['designs:read', 'assets:read'] as const) {
    if (hasPermission(request, permission)) continue
    throw insufficientScope(permission, `The credential lacks \`${permission}\`, which publishing a draft needs.`)
  }
}

function changeRoutes(app: App, { db, clock, recordAdminAct }: TemplateDeps): void {
  const actOf = (request: HttpRequest & { params: { templateId: string } }) => ({
    id: request.params.templateId,
    editor: editorOf(request),
    now: clock.now(),
  })

  app.patch(
    '/templates/:templateId',
    {
      onRequest: requireCatalogueAdmin,
      schema: {
        operationId: 'changeTemplate',
        tags,
        summary: 'Change a template',
        description: 'Replaces the members that it names. To change the document, publish another template.',
        params: TemplateParams,
        body: TemplateChangesBody,
        response: { 200: TemplateBody },
      },
    },
    async (request) =>
      db.transaction().execute(async (trx) => {
        const changed = await changeTemplate(trx, actOf(request), request.body)
        await recordAdminAct(trx, request, { setting, id: changed.id, change: 'changed' })
        return toTemplateBody(changed)
      }),
  )

  const statusRoute = (change: 'archived' | 'restored', schema: StatusSchema) =>
    app.post(
      `/templates/:templateId/${change === 'archived' ? 'archive' : 'restore'}`,
      {
        onRequest: requireCatalogueAdmin,
        schema: { ...schema, tags, params: TemplateParams, body: EmptyBody, response: { 200: TemplateBody } },
      },
      async (request) =>
        db.transaction().execute(async (trx) => {
          const status = change === 'archived' ? change : 'active'
          const { template, isChanged } = await setTemplateStatus(trx, actOf(request), status)
          if (isChanged) await recordAdminAct(trx, request, { setting, id: template.id, change })
          return toTemplateBody(template)
        }),
    )
  statusRoute('archived', {
    operationId: 'archiveTemplate',
    summary: 'Archive a template',
    description:
      'The template is no longer shown, and no design can be made from it. Designs that were made from it keep their images and locks. A repetition has no effect.',
  })
  statusRoute('restored', {
    operationId: 'restoreTemplate',
    summary: 'Restore an archived template',
    description: 'The shop shows the template again, if its product is active. A repetition has no effect.',
  })
}

type StatusSchema = Record<'operationId' | 'summary' | 'description', string>
