import { Type } from 'typebox'
import { type Auth, requireRole } from '../auth/index.ts'
import { editorOf } from '../change-records/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import { principalOf } from '../platform/http/core/principal.ts'
import { PageQuery, readCursor, toPage } from '../platform/http/responses/pagination.ts'
import type { App } from '../platform/http/server.ts'
import { acceptUploads } from '../platform/http/uploads/receive-upload.ts'
import { takeUpload } from '../platform/http/uploads/take-upload.ts'
import { type Storage, storageProblems } from '../platform/storage/index.ts'
import { requireAccepted } from '../platform/uploads/inspection.ts'
import { UPLOAD_PROBLEMS } from '../platform/uploads/problems.ts'
import { addColorProfile, MAX_PROFILE_BYTES } from './add-profile.ts'
import type { InspectProfile } from './inspection.ts'
import { colorProfileProblems } from './problems.ts'
import { recordProfile } from './record-profile.ts'
import { ColorProfileBody, ColorProfilePage, ColorProfileParams, toColorProfileBody, UploadBody } from './schemas.ts'
import { deleteColorProfile, findColorProfile, listColorProfiles } from './store.ts'

const tags = ['Colour profiles']
const setting = 'color_profile'

interface ColorProfileDeps extends Pick<Auth, 'recordAdminAct'> {
  db: Db
  clock: Clock
  storage: Storage
  inspect: InspectProfile
}

/** Registers the routes of colour profiles. Administrators change profiles, and operators can read them. */
export function colorProfileRoutes(app: App, deps: ColorProfileDeps): void {
  // This route has a Fastify scope of its own, because it is the only route here that accepts bodies other than JSON.
  app.register(async (scope: App) => uploadRoute(scope, deps))
  readRoutes(app, deps)

  app.delete(
    '/color-profiles/:colorProfileId',
    {
      onRequest: requireRole('admin', 'products:write'),
      schema: {
        operationId: 'deleteColorProfile',
        tags,
        summary: 'Delete a colour profile',
        description:
          'The response is 409 `color_profile_in_use` while a product, active or archived, names the profile.',
        params: ColorProfileParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const id = request.params.colorProfileId
      await deps.db.transaction().execute(async (trx) => {
        const deletion = await deleteColorProfile(trx, id)
        if (deletion === 'not_found') throw colorProfileProblems.color_profile_not_found()
        if (deletion === 'in_use') throw colorProfileProblems.color_profile_in_use()
        await recordProfile(trx, deletion, { type: 'deleted', editor: editorOf(request), now: deps.clock.now() })
        await deps.recordAdminAct(trx, request, { setting, id, change: 'deleted' })
      })
      return reply.code(204).send(null)
    },
  )
}

async function uploadRoute(app: App, deps: ColorProfileDeps): Promise<void> {
  await acceptUploads(app, { maxBytes: MAX_PROFILE_BYTES })

  app.post(
    '/color-profiles',
    {
      onRequest: requireRole('admin', 'products:write'),
      config: { rateLimit: 'upload', honours: ['Idempotency-Key'], sets: ['Location'] },
      // The body is a stream, so the handler checks it while it arrives.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'uploadColorProfile',
        problems: [
          ...UPLOAD_PROBLEMS,
          colorProfileProblems.color_profile_unsupported,
          colorProfileProblems.color_profile_unreadable,
          storageProblems.storage_unavailable,
        ],
        tags,
        summary: 'Upload a colour profile',
        description:
          'Takes a form with one file part, or the bytes of the file as the body: an ICC profile of version 2 or 4 for an output device in RGB, grey or CMYK, at most 4 MiB. Products name it in `outputProfileId` as the printing condition of their print files. If the service already has the same bytes, the status is 200. The security events record new profiles and deletions as `shop_settings_changed`, with `"setting": "color_profile"`.',
        body: UploadBody,
        response: { 200: ColorProfileBody, 201: ColorProfileBody },
      },
    },
    async (request, reply) =>
      takeUpload(deps, request, reply, {
        maxBytes: MAX_PROFILE_BYTES,
        examine: async (file) => ({
          ...file,
          info: requireAccepted(await deps.inspect(file, principalOf(request).userId), colorProfileProblems),
        }),
        record: async (trx, { info, ...file }) => {
          const now = deps.clock.now()
          const { profile, created } = await addColorProfile(trx, { file, info, now })
          if (created) {
            await recordProfile(trx, profile, { type: 'created', editor: editorOf(request), now })
            await deps.recordAdminAct(trx, request, { setting, id: profile.id, change: 'created' })
          }
          return { body: toColorProfileBody(profile), created }
        },
      }),
  )
}

function readRoutes(app: App, { db }: ColorProfileDeps): void {
  app.get(
    '/color-profiles',
    {
      onRequest: requireRole('operator', 'products:read'),
      schema: {
        operationId: 'listColorProfiles',
        tags,
        summary: 'List colour profiles',
        description: 'Operators and administrators can read colour profiles. Only administrators add and delete them.',
        querystring: PageQuery,
        response: { 200: ColorProfilePage },
      },
    },
    async ({ query }) => {
      const page = { after: readCursor(query), limit: query.limit }
      return toPage(await listColorProfiles(db, page), query, toColorProfileBody)
    },
  )

  app.get(
    '/color-profiles/:colorProfileId',
    {
      onRequest: requireRole('operator', 'products:read'),
      schema: {
        operationId: 'getColorProfile',
        tags,
        summary: 'Read the metadata of a colour profile',
        description: 'Returns the name in the profile, its colour space and its size.',
        params: ColorProfileParams,
        response: { 200: ColorProfileBody },
      },
    },
    async ({ params }) => {
      const profile = await findColorProfile(db, params.colorProfileId)
      if (profile === undefined) throw colorProfileProblems.color_profile_not_found()
      return toColorProfileBody(profile)
    },
  )
}
