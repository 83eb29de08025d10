import { rm } from 'node:fs/promises'
import { Type } from 'typebox'
import { requireRole } from '../auth/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db, Trx } from '../platform/db/index.ts'
import { idempotently } from '../platform/http/idempotency.ts'
import { PageQuery, readCursor, toPage } from '../platform/http/pagination.ts'
import type { App } from '../platform/http/server.ts'
import type { Storage } from '../platform/storage/index.ts'
import { acceptUploads, receiveUpload } from '../platform/uploads/receive-upload.ts'
import { addColorProfile, examineProfile, MAX_PROFILE_BYTES } from './add-profile.ts'
import type { InspectProfile } from './inspection.ts'
import { colorProfileProblems } from './problems.ts'
import { ColorProfileBody, ColorProfilePage, ColorProfileParams, toColorProfileBody, UploadBody } from './schemas.ts'
import { deleteColorProfile, findColorProfile, listColorProfiles } from './store.ts'

const tags = ['Colour profiles']

interface ColorProfileDeps {
  db: Db
  clock: Clock
  storage: Storage
  inspect: InspectProfile
}

/** The conditions of output that products can name. Administrators change them, operators may look. */
export function colorProfileRoutes(app: App, deps: ColorProfileDeps): void {
  // In a scope of its own: no other address takes bodies that are not JSON.
  app.register(async (scope: App) => uploadRoute(scope, deps))
  readRoutes(app, deps)

  app.delete(
    '/color-profiles/:colorProfileId',
    {
      onRequest: requireRole('admin', 'products:write'),
      schema: {
        operationId: 'deleteColorProfile',
        tags,
        summary: 'Delete a colour profile that no product names',
        params: ColorProfileParams,
        response: { 204: Type.Null() },
      },
    },
    async ({ params }, reply) => {
      const deletion = await deleteColorProfile(deps.db, params.colorProfileId)
      if (deletion === 'not_found') throw colorProfileProblems.color_profile_not_found()
      if (deletion === 'in_use') throw colorProfileProblems.color_profile_in_use()
      return reply.code(204).send(null)
    },
  )
}

async function uploadRoute(app: App, deps: ColorProfileDeps): Promise<void> {
  const { clock, storage, inspect } = deps
  await acceptUploads(app, { maxBytes: MAX_PROFILE_BYTES })

  app.post(
    '/color-profiles',
    {
      onRequest: requireRole('admin', 'products:write'),
      config: { rateLimit: 'upload' },
      // The body is a stream here; what it holds is checked as it arrives.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'addColorProfile',
        tags,
        summary: 'Add a colour profile: one file of a form, or the bytes as the body',
        description: 'An ICC profile of an output device, for products to name as the condition of their print files.',
        body: UploadBody,
        response: { 200: ColorProfileBody, 201: ColorProfileBody },
      },
    },
    async (request, reply) => {
      const dir = await storage.createWorkDir()
      try {
        const file = await receiveUpload(request, dir, { maxBytes: MAX_PROFILE_BYTES })
        const info = await examineProfile(inspect, file)
        // Before the row is committed: a profile whose bytes are missing must not exist, bytes without a profile may.
        await storage.adopt(file)
        const add = async (trx: Trx) => {
          const { profile, created } = await addColorProfile(trx, storage, { file, info, now: clock.now() })
          const headers = { Location: `${request.routeOptions.url}/${profile.id}` }
          return { status: created ? 201 : 200, body: toColorProfileBody(profile), headers }
        }
        return await idempotently(deps, request, reply, add, file.sha256)
      } finally {
        await rm(dir, { recursive: true, force: true })
      }
    },
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
        summary: 'List the colour profiles',
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
        summary: 'Read what is known about a colour profile',
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
