import type { FastifyReply, FastifyRequest } from 'fastify'
import { ClientGone } from '../../platform/concurrency/client-gone.ts'
import { createFairSemaphore, networkOfOwner } from '../../platform/concurrency/semaphore.ts'
import type { Db } from '../../platform/db/index.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import { createLargeBodyQueue, LARGE_BODY_BYTES, ownerOfBody } from '../../platform/http/input/large-bodies.ts'
import type { App } from '../../platform/http/server.ts'
import type { Operation } from '../../platform/json-patch/apply-patch.ts'
import { JSON_PATCH_MEDIA_TYPE, JsonPatchBody } from '../../platform/json-patch/schema.ts'
import { externalReferenceProblems } from '../../platform/records/external-reference.ts'
import { requireDesignScope } from '../access/require-design-scope.ts'
import { keyOf, type RouteDeps, sameVersion, tags, whileConnected } from '../access/shared-routes.ts'
import { readDocument } from '../checking/submitted-document.ts'
import { withChecks } from '../checking/with-checks.ts'
import { designProblems, rendererBusy, SAVE_PROBLEMS } from '../problems.ts'
import { changeDesign, inputsOfChange } from '../save-design.ts'
import { DesignBody, DesignChangesBody, DesignParams, toDesignBody } from '../schemas.ts'
import { etagOf } from '../state.ts'
import type { Design } from '../store.ts'
import { applyFixes } from './apply-fixes.ts'
import type { Target } from './change-from.ts'
import { patchDesign } from './patch-design.ts'
import { FixBody, FixedDesignBody } from './schemas.ts'

/** The routes that change a draft. */
export function editRoutes(app: App, deps: RouteDeps): void {
  changeRoute(app, deps)
  fixRoute(app, deps)
}

/** Large designs that are patched at a time. Each takes a few megabytes, and most of the time of a check. */
const LARGE_AT_ONCE = 8
const LARGE_WAITING = 64

function changeRoute(app: App, deps: RouteDeps): void {
  const untilMayPatch = createLargeBodyQueue()
  const patching = createFairSemaphore(LARGE_AT_ONCE, {
    waiting: {
      max: LARGE_WAITING,
      whenFull: () => rendererBusy('Too many JSON patches of large designs are waiting.'),
    },
    groupOf: networkOfOwner,
    mostOfGroup: LARGE_AT_ONCE / 2,
  })
  const patch = (request: FastifyRequest, reply: FastifyReply, operations: readonly Operation[]) => {
    const owner = ownerOfBody(request)
    const untilMayEdit = async (characters: number) => {
      if (characters > LARGE_BODY_BYTES) await untilMayPatch(owner, request.raw.socket, characters)
    }
    const inTurn = (change: () => Promise<Design>) =>
      patching.run(owner, () => {
        if (request.raw.socket.destroyed) throw new ClientGone('patch')
        return change()
      })
    const editing = { ...whileConnected(deps, reply), untilMayEdit, inTurn }
    return patchDesign(editing, { ...targetOf(deps, request), operations })
  }

  app.patch(
    '/designs/:designId',
    {
      onRequest: requireDesignScope('designs:write'),
      config: { honours: ['If-Match'], sets: ['ETag'] },
      schema: {
        operationId: 'changeDesign',
        problems: [
          ...SAVE_PROBLEMS,
          designProblems.design_not_draft,
          designProblems.design_finalizing,
          designProblems.layer_locked,
          externalReferenceProblems.external_reference_taken,
        ],
        tags,
        summary: 'Change a draft',
        description:
          'Replaces the members that it names. With `Content-Type: application/json-patch+json`, the body is a JSON Patch (RFC 6902) of `{ name, variantId, document, metadata, externalReference }`: 422 `patch_invalid` if an operation cannot be applied, 409 `patch_test_failed` if a test fails, each with `pointer` `/N` of the operation. The result obeys the rules of a change, and errors of the schema point into the result. A patch that changes nothing leaves the revision as it is. If the change makes the draft smaller, it succeeds even above the storage quota. Fonts of the documents are limited to 16 uploaded families with 64 MiB in total (422 `too_many_fonts`).',
        params: DesignParams,
        body: {
          content: {
            'application/json': { schema: DesignChangesBody },
            [JSON_PATCH_MEDIA_TYPE]: { schema: JsonPatchBody },
          },
        },
        response: { 200: DesignBody },
      },
    },
    async (request, reply) => {
      const body = request.body as DesignChangesBody | Operation[] | undefined
      if (body === undefined) throw missingBody()
      const design = Array.isArray(body)
        ? await patch(request, reply, body)
        : await merge(whileConnected(deps, reply), targetOf(deps, request), body)
      return present(deps, reply, design)
    },
  )
}

/** A request without a body has no media type, so no schema applies to it. */
function missingBody() {
  const detail = 'A body is required.'
  return httpProblems.validation_failed({ detail, errors: [{ code: 'required', pointer: '', detail }] })
}

async function merge(
  deps: RouteDeps,
  target: Target,
  { document: input, ...changes }: DesignChangesBody,
): Promise<Design> {
  const { database, quota } = deps
  const document = input && (await readDocument(deps, target.key.ownerId, input))
  const change = { ...target, changes, document }
  const expected = (reads: Db) => inputsOfChange(reads, change)
  return withChecks(deps, expected, (checks) =>
    database.db.transaction().execute((trx) => changeDesign(trx, { ...checks, quota }, change)),
  )
}

function fixRoute(app: App, deps: RouteDeps): void {
  app.post(
    '/designs/:designId/apply-fixes',
    {
      onRequest: requireDesignScope('designs:write'),
      config: { honours: ['If-Match'], sets: ['ETag'] },
      schema: {
        operationId: 'applyDesignFixes',
        problems: [
          ...SAVE_PROBLEMS,
          designProblems.design_not_draft,
          designProblems.design_finalizing,
          designProblems.layer_locked,
        ],
        tags,
        summary: 'Apply the fixes of preflight to a draft',
        description:
          'Checks the draft, applies the fixes of the issues, and checks it again until no fix is left. `appliedFixes` names the issues, with pointers into the document as it was. If there is nothing to fix, the list is empty and the revision stays as it is. Honours `If-Match`.',
        params: DesignParams,
        body: FixBody,
        response: { 200: FixedDesignBody },
      },
    },
    async (request, reply) => {
      const fixes = { ...targetOf(deps, request), codes: request.body?.codes }
      const { design, applied } = await applyFixes(whileConnected(deps, reply), fixes)
      return { ...present(deps, reply, design), appliedFixes: applied }
    },
  )
}

function targetOf({ clock }: RouteDeps, request: FastifyRequest): Target {
  return { key: keyOf(request), requireVersion: sameVersion(request), now: () => clock.now() }
}

function present({ clock }: RouteDeps, reply: FastifyReply, design: Design): DesignBody {
  const now = clock.now()
  reply.header('ETag', etagOf(design, now))
  return toDesignBody(design, now)
}
