import { join } from 'node:path'
import { Type } from 'typebox'
import { requireScope } from '../auth/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import { principalOf } from '../platform/http/core/principal.ts'
import { PageQuery, readCursor, toPage } from '../platform/http/responses/pagination.ts'
import { STORED_FILE_RESPONSES, sendStored } from '../platform/http/responses/send-stored.ts'
import type { App } from '../platform/http/server.ts'
import { acceptUploads } from '../platform/http/uploads/receive-upload.ts'
import { takeUpload } from '../platform/http/uploads/take-upload.ts'
import { type Storage, type StorageQuota, storageProblems } from '../platform/storage/index.ts'
import { requireAccepted } from '../platform/uploads/inspection.ts'
import { UPLOAD_PROBLEMS } from '../platform/uploads/problems.ts'
import { addFont, MAX_FONT_BYTES, MAX_UNPACKED_BYTES, requireFontRoom } from './add-font.ts'
import { deleteFont } from './delete-font.ts'
import { FONT_EXTENSIONS, type InspectFont } from './inspection.ts'
import { fontProblems } from './problems.ts'
import { FontBody, FontContent, FontPage, FontParams, toFontBody, UploadBody } from './schemas.ts'
import { type Font, findFont, listFonts } from './store.ts'

const tags = ['Fonts']

interface FontDeps {
  db: Db
  clock: Clock
  storage: Storage
  quota: Pick<StorageQuota, 'reserve'>
  inspect: InspectFont
}

export function fontRoutes(app: App, deps: FontDeps): void {
  // This route has a Fastify scope of its own, because it is the only route here that accepts bodies other than JSON.
  app.register(async (scope: App) => uploadRoute(scope, deps))
  readRoutes(app, deps)

  app.delete(
    '/fonts/:fontId',
    {
      onRequest: requireScope('assets:write'),
      schema: {
        operationId: 'deleteFont',
        tags,
        summary: 'Delete a font',
        description: 'The response is 409 `font_in_use` while a finalized design uses the font.',
        params: FontParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const key = { id: request.params.fontId, ownerId: principalOf(request).userId }
      await deps.db.transaction().execute((trx) => deleteFont(trx, key))
      return reply.code(204).send(null)
    },
  )
}

async function uploadRoute(app: App, deps: FontDeps): Promise<void> {
  await acceptUploads(app, { maxBytes: MAX_FONT_BYTES })

  app.post(
    '/fonts',
    {
      onRequest: requireScope('assets:write'),
      config: { rateLimit: 'upload', honours: ['Idempotency-Key'], sets: ['Location'] },
      // The body is a stream, so the handler checks it while it arrives.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'uploadFont',
        problems: [
          ...UPLOAD_PROBLEMS,
          fontProblems.too_many_fonts,
          fontProblems.font_type_unsupported,
          fontProblems.font_unreadable,
          fontProblems.font_too_large,
          fontProblems.font_too_complex,
          fontProblems.font_embedding_not_allowed,
          fontProblems.font_subsetting_not_allowed,
          fontProblems.font_outline_embedding_not_allowed,
          storageProblems.storage_quota_exceeded,
          storageProblems.storage_unavailable,
        ],
        tags,
        summary: 'Upload a font',
        description:
          'Takes a form with one file part, or the bytes of the file as the body: TTF, OTF, WOFF or WOFF2, at most 16 MiB (30 MiB unpacked). API keys need the permissions for assets. The unpacked font counts in the storage quota. An account can have 200 fonts with 256 MiB unpacked in total. The service stores the default instance of a variable font, because print files embed static fonts; upload a static font for each further weight. It refuses fonts whose licence forbids embedding, subsetting or outlines (`font_embedding_not_allowed`, `font_subsetting_not_allowed`, `font_outline_embedding_not_allowed`), collections and fonts without outlines (`font_type_unsupported`), fonts with contradictory tables (`font_unreadable`), and fonts that make layout too slow (`font_too_complex`).',
        body: UploadBody,
        response: { 200: FontBody, 201: FontBody },
      },
    },
    async (request, reply) => {
      const ownerId = principalOf(request).userId
      return takeUpload(deps, request, reply, {
        maxBytes: MAX_FONT_BYTES,
        reserve: (bytes) => deps.quota.reserve(ownerId, bytes),
        unpackedBytes: MAX_UNPACKED_BYTES,
        examine: async ({ path }, dir) => {
          const unpackedPath = join(dir, 'font')
          const info = requireAccepted(await deps.inspect({ path, unpackedPath }, ownerId), fontProblems)
          await requireFontRoom(deps.db, ownerId, info)
          return { path: unpackedPath, sha256: info.sha256, bytes: info.bytes, info }
        },
        record: async (trx, { info }) => {
          const { font, created } = await addFont(trx, { ownerId, info, now: deps.clock.now() })
          return { body: toFontBody(font), created }
        },
      })
    },
  )
}

function readRoutes(app: App, { db, storage }: FontDeps): void {
  app.get(
    '/fonts/uploads',
    {
      onRequest: requireScope('assets:read'),
      schema: {
        operationId: 'listUploadedFonts',
        tags,
        summary: 'List the fonts that the caller uploaded',
        description: 'Newest first. `GET /fonts` lists the families that a design can use, installed ones included.',
        querystring: PageQuery,
        response: { 200: FontPage },
      },
    },
    async (request) => {
      const ownerId = principalOf(request).userId
      const page = { ownerId, after: readCursor(request.query), limit: request.query.limit }
      return toPage(await listFonts(db, page), request.query, toFontBody)
    },
  )

  app.get(
    '/fonts/:fontId',
    {
      onRequest: requireScope('assets:read'),
      schema: {
        operationId: 'getFont',
        tags,
        summary: 'Read the metadata of an uploaded font',
        description: 'Returns family, weight, style and scripts of the stored file.',
        params: FontParams,
        response: { 200: FontBody },
      },
    },
    async (request) => toFontBody(await requireFont(db, request.params.fontId, principalOf(request).userId)),
  )

  app.get(
    '/fonts/:fontId/content',
    {
      onRequest: requireScope('assets:read'),
      schema: {
        operationId: 'getFontContent',
        problems: [storageProblems.storage_unavailable],
        tags,
        summary: 'Download an uploaded font',
        description:
          'Returns the file that layout and rendering use, so that an editor lays out text exactly as it is printed.',
        params: FontParams,
        response: { 200: FontContent, ...STORED_FILE_RESPONSES },
      },
    },
    async (request, reply) => {
      const font = await requireFont(db, request.params.fontId, principalOf(request).userId)
      const { id, mediaType, sha256 } = font
      const fileName = `${id}.${FONT_EXTENSIONS[mediaType]}`
      return sendStored(request, reply, { storage, file: { sha256, mediaType, disposition: 'attachment', fileName } })
    },
  )
}

async function requireFont(db: Db, id: string, ownerId: string): Promise<Font> {
  const font = await findFont(db, { id, ownerId })
  if (font === undefined) throw fontProblems.font_not_found()
  return font
}
