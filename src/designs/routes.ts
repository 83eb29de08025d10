import type { FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { customerIdOf, customerProblems } from '../auth/index.ts'
import { PreflightReportSchema } from '../drawing/index.ts'
import { ClientGone } from '../platform/concurrency/client-gone.ts'
import { createFairTurns } from '../platform/concurrency/fair-turns.ts'
import { readRecord } from '../platform/concurrency/paced-reads.ts'
import { networkOfOwner } from '../platform/concurrency/semaphore.ts'
import type { Db } from '../platform/db/index.ts'
import { type Principal, principalOf } from '../platform/http/core/principal.ts'
import { httpProblems } from '../platform/http/core/problems.ts'
import { idempotently } from '../platform/http/idempotency/idempotency.ts'
import { EmptyBody } from '../platform/http/input/empty-body.ts'
import { ownerOfBody } from '../platform/http/input/large-bodies.ts'
import { isNotModified, requireIfMatch, sendNotModified, setETag } from '../platform/http/responses/etag.ts'
import { nextCursorOf, readCursor, sendPageText } from '../platform/http/responses/pagination.ts'
import type { App } from '../platform/http/server.ts'
import { externalReferenceProblems } from '../platform/records/external-reference.ts'
import { readMetadataFilter } from '../platform/records/metadata-filter.ts'
import { storageProblems, unpaidBoundFor } from '../platform/storage/index.ts'
import { requireGuestRoom } from './access/guest-limit.ts'
import { requireCreationScope, requireDesignScope } from './access/require-design-scope.ts'
import {
  keyOf,
  type RouteDeps,
  requireDesign,
  sameVersion,
  sendJsonText,
  tags,
  whileConnected,
} from './access/shared-routes.ts'
import { checkDesign, findCheckInputs } from './checking/check-inputs.ts'
import { readDocument } from './checking/submitted-document.ts'
import { withChecks } from './checking/with-checks.ts'
import { editRoutes } from './editing/routes.ts'
import { finalizeDesign, finalizeDesignLater } from './finalization/finalize-design.ts'
import type { Requester } from './finalization/receipt.ts'
import { DesignListQuery, DesignPage } from './listing/schemas.ts'
import { type DesignFilter, listDesignSummaries, listDesigns } from './listing/store.ts'
import { DRAW_PROBLEMS, designProblems, rendererBusy, SAVE_PROBLEMS } from './problems.ts'
import {
  archiveDesign,
  contentOf,
  createDesign,
  duplicateDesign,
  inputsOfCreation,
  inputsOfDuplicate,
} from './save-design.ts'
import { DesignBody, DesignParams, designJson, designSummaryJson, NewDesignBody, toDesignBody } from './schemas.ts'
import { etagOf, etagsOfRevision } from './state.ts'
import { type Design, readVersion } from './store.ts'

export function designRoutes(app: App, deps: RouteDeps): void {
  readRoutes(app, deps)
  writeRoutes(app, deps)
  checkRoutes(app, deps)
  editRoutes(app, deps)
  finalizeRoute(app, deps)
}

function readRoutes(app: App, deps: RouteDeps): void {
  const { database, clock } = deps

  app.get(
    '/designs/:designId',
    {
      onRequest: requireDesignScope('designs:read'),
      schema: {
        operationId: 'getDesign',
        tags,
        summary: 'Read a design',
        description:
          'Returns document, last preflight report and, once finalized, files and price. The `ETag` is the version for `If-Match`.',
        params: DesignParams,
        response: { 200: DesignBody, 304: Type.Null() },
      },
    },
    async (request, reply) => {
      const now = clock.now()
      // Polling clients usually have the current version, so its document is not read for them.
      if (request.headers['if-none-match'] !== undefined) {
        const version = await readVersion(database.reads, keyOf(request))
        if (version !== undefined && isNotModified(request, reply, etagOf(version, now))) return sendNotModified(reply)
      }
      const design = await readRecord(() => requireDesign(deps, request.params.designId, principalOf(request)))
      setETag(reply, etagOf(design, now))
      return sendJsonText(reply, designJson(design, now))
    },
  )

  app.get(
    '/designs',
    {
      onRequest: requireDesignScope('designs:read'),
      schema: {
        operationId: 'listDesigns',
        tags,
        summary: "List the caller's designs",
        description:
          'Newest first, with whole documents unless `view=summary`. A page ends early if its designs are large.',
        querystring: DesignListQuery,
        response: { 200: DesignPage },
      },
    },
    async (request, reply) => {
      const { status, productId, externalReference, q: words, view, ...page } = request.query
      const ownerId = principalOf(request).userId
      const now = clock.now()
      const filter: DesignFilter = {
        ownerId,
        status,
        now,
        productId,
        externalReference,
        metadata: readMetadataFilter(request.query),
        words,
        after: readCursor(page),
        limit: page.limit,
      }
      if (view === 'summary') {
        const { rows, nextAfter } = await listDesignSummaries(database.db, filter)
        const data = rows.map((design) => designSummaryJson(design, now))
        return sendPageText(reply, data, nextCursorOf(nextAfter))
      }
      const { rows, nextAfter } = await listDesigns(database.db, filter)
      const data = rows.map((design) => designJson(design, now))
      return sendPageText(reply, data, nextCursorOf(nextAfter))
    },
  )
}

function writeRoutes(app: App, deps: RouteDeps): void {
  const { database, clock, quota } = deps
  const { db } = database
  const now = () => clock.now()

  app.post(
    '/designs',
    {
      onRequest: requireDesignScope('designs:write'),
      config: { honours: ['Idempotency-Key'], sets: ['Location', 'ETag'] },
      schema: {
        operationId: 'createDesign',
        problems: [
          ...SAVE_PROBLEMS,
          designProblems.product_not_found,
          designProblems.template_not_found,
          designProblems.template_product_mismatch,
          customerProblems.guest_limit_reached,
          externalReferenceProblems.external_reference_taken,
        ],
        tags,
        summary: 'Create a design',
        description:
          'With `templateId`, the design is a copy of a template of the product, in place of `document`. It may show the images of the template, and the locks of its layers bind every change (422 `layer_locked`). The fonts of a document are limited to 16 uploaded families with 64 MiB in total (422 `too_many_fonts`).',
        body: NewDesignBody,
        response: { 201: DesignBody },
      },
    },
    async (request, reply) => {
      const connected = whileConnected(deps, reply)
      const ownerId = principalOf(request).userId
      const { document, ...input } = request.body
      if (document !== undefined && input.templateId !== undefined) throw eitherOne()
      const creation = { ownerId, input, document: await readDocument(connected, ownerId, document), now: now() }
      const expected = (reads: Db) => inputsOfCreation(reads, creation)
      return withChecks(connected, expected, (checks) =>
        idempotently({ db, clock }, request, reply, async (trx) => {
          await requireGuestRoom(trx, principalOf(request))
          return created(request, await createDesign(trx, { ...checks, quota }, { ...creation, now: now() }))
        }),
      )
    },
  )

  app.post(
    '/designs/:designId/duplicate',
    {
      onRequest: requireCreationScope(),
      config: { honours: ['Idempotency-Key'], sets: ['Location', 'ETag'] },
      schema: {
        operationId: 'duplicateDesign',
        problems: [...SAVE_PROBLEMS, customerProblems.guest_limit_reached],
        tags,
        summary: 'Duplicate a design',
        description: 'Creates a draft with the content of the design, whatever its status.',
        params: DesignParams,
        body: EmptyBody,
        response: { 201: DesignBody },
      },
    },
    (request, reply) => {
      const key = keyOf(request)
      const expected = (reads: Db) => inputsOfDuplicate(reads, key)
      return withChecks(whileConnected(deps, reply), expected, (checks) =>
        idempotently({ db, clock }, request, reply, async (trx) => {
          await requireGuestRoom(trx, principalOf(request))
          return created(request, await duplicateDesign(trx, { ...checks, quota }, key, now()))
        }),
      )
    },
  )

  const created = (request: FastifyRequest, design: Design) => {
    const headers = { Location: locationOf(request, design.id), ETag: etagOf(design, now()) }
    return { status: 201, body: toDesignBody(design, now()), headers }
  }

  app.delete(
    '/designs/:designId',
    {
      onRequest: requireDesignScope('designs:write'),
      // Archiving adds an event with the whole design.
      config: { addsRecords: true, worksWhenDiskIsFull: 'to_half', honours: ['If-Match'] },
      schema: {
        operationId: 'archiveDesign',
        problems: [designProblems.design_finalizing],
        tags,
        summary: 'Archive a design',
        description:
          'The design can still be read, but no longer be changed, finalized or ordered. A repetition has no effect. The event of an archived draft counts towards the storage quota for 30 days. While the design is being finalized, the response is 409 `design_finalizing`.',
        params: DesignParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const archival = { key: keyOf(request), requireVersion: sameVersion(request), now }
      await db.transaction().execute((trx) => archiveDesign(trx, archival))
      return reply.code(204).send(null)
    },
  )
}

/** A schema that excludes one member by the other would lose its generated type. */
function eitherOne() {
  const detail = 'Send `templateId` or `document`, not both.'
  return httpProblems.validation_failed({
    detail,
    errors: [{ code: 'validation_failed', pointer: '/templateId', detail }],
  })
}

/** The requests of customers for a preflight that may wait in a process. Each holds no document while it waits. */
const PREFLIGHTS_WAITING = 256
/** Nearly all checks take a tenth of this. Others wait for no more of one that takes the 2 s that it may. */
const LONGEST_PREFLIGHT_MS = 250

function checkRoutes(app: App, deps: RouteDeps): void {
  // A preflight has an empty body and takes as long as the check of the largest document. Without turns, those of some
  // accounts would occupy the processes for which saves wait.
  const preflights = createFairTurns({
    longestMs: LONGEST_PREFLIGHT_MS,
    waiting: {
      max: PREFLIGHTS_WAITING,
      whenFull: () => rendererBusy('Too many requests for a preflight are waiting.'),
    },
    groupOf: networkOfOwner,
  })
  app.post(
    '/designs/:designId/preflight',
    {
      onRequest: requireDesignScope('designs:read'),
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'preflightDesign',
        problems: [designProblems.text_too_complex, designProblems.renderer_busy],
        tags,
        summary: 'Run preflight on a design',
        description:
          'Checks the design against the current product, images and fonts. Layout of a document may use 2 s of processor time, 96 MiB of uploaded fonts and 640 MiB of memory. Beyond that, this operation, saving, previewing, finalizing and ordering return 422 `text_too_complex`; `errors` names the layer by `pointer` (`/document/...`) and its `fontFamily`.',
        params: DesignParams,
        body: EmptyBody,
        response: { 200: PreflightReportSchema },
      },
    },
    async (request, reply) => {
      const check = async () => {
        if (request.raw.socket.destroyed) throw new ClientGone('preflight')
        const design = await requireDesign(deps, request.params.designId, principalOf(request))
        const inputs = await findCheckInputs(deps.database.db, contentOf(design))
        return checkDesign(whileConnected(deps, reply), inputs)
      }
      const isCustomer = principalOf(request).role === 'customer'
      return sendJsonText(reply, await (isCustomer ? preflights.run(ownerOfBody(request), check) : check()))
    },
  )
}

function finalizeRoute(app: App, deps: RouteDeps): void {
  app.post(
    '/designs/:designId/finalize',
    {
      onRequest: requireDesignScope('designs:write'),
      config: { rateLimit: 'finalize', honours: ['If-Match', 'Prefer'], sets: ['Location', 'ETag'] },
      schema: {
        operationId: 'finalizeDesign',
        problems: [
          ...DRAW_PROBLEMS,
          designProblems.design_archived,
          designProblems.preflight_failed,
          designProblems.finalization_failed,
          storageProblems.storage_quota_exceeded,
        ],
        tags,
        summary: 'Finalize a design',
        description:
          'Locks checks, print files and price in one atomic operation, so that the design can be ordered. The operation is idempotent and ignores `Idempotency-Key`: repeating it returns the same finalization. After `validUntil`, a repetition renews price and receipt, but never the files. `If-Match` is compared with the revision alone, so a client that lost the response can repeat the request with the tag of the draft. The body is empty or `{}`. With `Prefer: respond-async`, the response is 202 as soon as the checks have passed; read the design until its `status` is `finalized` or `draft` again. An asynchronous finalization tries three times while the renderer is busy or the storage is unavailable, and for two minutes at most; after that the design is a draft again, although a late job may still finalize it if the design is unchanged and no other finalization is in progress. The response is also 503 `renderer_busy` if 8 renderings of the owner are waiting. If a rendering process crashes twice, the response is 422 `render_failed`. In all these cases the draft is unchanged. If an asynchronous finalization fails after its response, the design states the reason in `lastFinalizationError`, and the service emits `design.finalization_failed`.',
        params: DesignParams,
        body: EmptyBody,
        response: { 200: DesignBody, 202: DesignBody },
      },
    },
    async (request, reply) => {
      const requireVersion = (design: Design, now: Date) => requireIfMatch(request, ...etagsOfRevision(design, now))
      const principal = principalOf(request)
      const unpaid = unpaidBoundFor(principal, deps.quota)
      const order = { key: keyOf(request), requester: requesterOf(principal), requireVersion, unpaid }
      const isLater = prefersAsync(request)
      const begin = isLater ? finalizeDesignLater : finalizeDesign
      const design = await begin(whileConnected(deps, reply), order)
      const now = deps.clock.now()
      reply.header('ETag', etagOf(design, now))
      if (design.status !== 'finalized') {
        reply.code(202).header('Location', locationOf(request, design.id)).header('Preference-Applied', 'respond-async')
      }
      return toDesignBody(design, now)
    },
  )
}

/** `Prefer: respond-async` (RFC 7240, 4.1). */
function prefersAsync({ headers }: FastifyRequest): boolean {
  return [headers['prefer']].flat().some((value) => value !== undefined && /(^|[,\s])respond-async\b/i.test(value))
}

function requesterOf({ kind, userId, actorId, authenticationMethods = [], authenticatedAt }: Principal): Requester {
  if (kind !== 'session' || actorId !== undefined) {
    return {
      userId: kind === 'api_key' && actorId === undefined ? userId : customerIdOf(userId),
      authenticationMethods: [kind],
    }
  }
  return {
    userId,
    authenticationMethods: [...authenticationMethods],
    ...(authenticatedAt === undefined ? {} : { authenticatedAt: Math.floor(authenticatedAt.getTime() / 1000) }),
  }
}

/** Returns the path of a design below the prefix of the routes. */
function locationOf(request: FastifyRequest, designId: string): string {
  const [base = ''] = (request.routeOptions.url ?? '').split('/designs', 1)
  return `${base}/designs/${designId}`
}
