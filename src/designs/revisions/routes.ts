import { readRecord } from '../../platform/concurrency/paced-reads.ts'
import { noteSize } from '../../platform/concurrency/request-context.ts'
import { EmptyBody } from '../../platform/http/input/empty-body.ts'
import { cutPage } from '../../platform/http/responses/pagination.ts'
import type { App } from '../../platform/http/server.ts'
import { requireDesignScope } from '../access/require-design-scope.ts'
import { keyOf, type RouteDeps, sameVersion, sendJsonText, tags, whileConnected } from '../access/shared-routes.ts'
import { listRevisions } from '../history/store.ts'
import { designProblems, SAVE_PROBLEMS } from '../problems.ts'
import { DesignBody, DesignParams, toDesignBody } from '../schemas.ts'
import { etagOf } from '../state.ts'
import { requireRevision, restoreRevision } from './restore-revision.ts'
import {
  RevisionBody,
  RevisionListQuery,
  RevisionPage,
  RevisionParams,
  revisionJson,
  toSummaryBody,
} from './schemas.ts'

export function revisionRoutes(app: App, deps: RouteDeps): void {
  const { database, clock } = deps

  app.get(
    '/designs/:designId/revisions',
    {
      onRequest: requireDesignScope('designs:read'),
      schema: {
        operationId: 'listDesignRevisions',
        tags,
        summary: 'List the revisions of a design',
        description:
          'Newest first, the present revision included. The service keeps the last 100, and fewer if the storage quota of the account is full.',
        params: DesignParams,
        querystring: RevisionListQuery,
        response: { 200: RevisionPage },
      },
    },
    async (request) => {
      const revisions = await listRevisions(database.db, keyOf(request))
      if (revisions.length === 0) throw designProblems.design_not_found()
      const rows = revisions.map((one) => ({ ...one, id: String(one.revision) }))
      return cutPage(rows, request.query, toSummaryBody)
    },
  )

  app.get(
    '/designs/:designId/revisions/:revision',
    {
      onRequest: requireDesignScope('designs:read'),
      schema: {
        operationId: 'getDesignRevision',
        tags,
        summary: 'Read a revision of a design',
        description: 'Returns the content as it was saved. A revision has no preflight report.',
        params: RevisionParams,
        response: { 200: RevisionBody },
      },
    },
    async (request, reply) => {
      const revision = await readRecord(async () => {
        const found = await requireRevision(deps, keyOf(request), request.params.revision)
        noteSize(Buffer.byteLength(found.documentJson))
        return found
      })
      return sendJsonText(reply, revisionJson(revision))
    },
  )

  app.post(
    '/designs/:designId/revisions/:revision/restore',
    {
      onRequest: requireDesignScope('designs:write'),
      config: { honours: ['If-Match'], sets: ['ETag'] },
      schema: {
        operationId: 'restoreDesignRevision',
        problems: [
          ...SAVE_PROBLEMS,
          designProblems.design_not_draft,
          designProblems.design_finalizing,
          designProblems.layer_locked,
        ],
        tags,
        summary: 'Restore a revision of a draft',
        description:
          'Gives the draft the name, variant, document and metadata of the revision, as a new revision. Preflight reports images and variants that no longer exist. `externalReference` stays. Honours `If-Match`.',
        params: RevisionParams,
        body: EmptyBody,
        response: { 200: DesignBody },
      },
    },
    async (request, reply) => {
      const now = () => clock.now()
      const target = { key: keyOf(request), requireVersion: sameVersion(request), now }
      const design = await restoreRevision(whileConnected(deps, reply), target, request.params.revision)
      reply.header('ETag', etagOf(design, now()))
      return toDesignBody(design, now())
    },
  )
}
