import { Type } from 'typebox'
import { requireScope } from '../auth/index.ts'
import type { Clock } from '../platform/clock.ts'
import type { FindShare } from '../platform/fair-share.ts'
import { signalOfHangUp } from '../platform/http/connections/hang-up.ts'
import { principalOf } from '../platform/http/core/principal.ts'
import { PageQuery, readCursor, toPage } from '../platform/http/responses/pagination.ts'
import type { App } from '../platform/http/server.ts'
import { acceptUploads } from '../platform/http/uploads/receive-upload.ts'
import { takeUpload } from '../platform/http/uploads/take-upload.ts'
import { type StorageQuota, storageProblems } from '../platform/storage/index.ts'
import { UPLOAD_PROBLEMS } from '../platform/uploads/problems.ts'
import type { FileSource } from '../platform/uploads/source.ts'
import { deleteAsset } from './delete-asset.ts'
import { type FileDeps, fileRoutes } from './file-routes.ts'
import type { InspectAsset } from './inspection.ts'
import { assetProblems } from './problems.ts'
import { requireAsset } from './require-asset.ts'
import { AssetBody, AssetPage, AssetParams, toAssetBody, UploadBody } from './schemas.ts'
import { listAssets } from './store.ts'
import { addAsset, examineFile, MAX_ASSET_BYTES } from './upload/add-asset.ts'
import { acceptUrls, sourceOf } from './upload/url-source.ts'

const tags = ['Assets']

interface AssetDeps extends FileDeps {
  clock: Clock
  quota: Pick<StorageQuota, 'reserve'>
  inspect: InspectAsset
  files: FileSource
  findShare: FindShare
}

export function assetRoutes(app: App, deps: AssetDeps): void {
  // This route has a Fastify scope of its own, because it is the only route here that accepts bodies other than JSON.
  app.register(async (scope: App) => uploadRoute(scope, deps))
  readRoutes(app, deps)
  fileRoutes(app, deps)

  app.delete(
    '/assets/:assetId',
    {
      onRequest: requireScope('assets:write'),
      schema: {
        operationId: 'deleteAsset',
        tags,
        summary: 'Delete an asset',
        description:
          'The response is 409 `asset_in_use` while a finalized design uses the asset. The bytes count in the storage quota for about one more day.',
        params: AssetParams,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const key = { id: request.params.assetId, ownerId: principalOf(request).userId }
      await deps.db.transaction().execute((trx) => deleteAsset(trx, key))
      return reply.code(204).send(null)
    },
  )
}

async function uploadRoute(app: App, deps: AssetDeps): Promise<void> {
  await acceptUploads(app, { maxBytes: MAX_ASSET_BYTES })
  acceptUrls(app)

  app.post(
    '/assets',
    {
      onRequest: requireScope('assets:write'),
      config: { rateLimit: 'upload', honours: ['Idempotency-Key'], sets: ['Location'] },
      // The body is a stream, so the handler checks it while it arrives.
      validatorCompiler: () => () => true,
      schema: {
        operationId: 'uploadAsset',
        problems: [
          ...UPLOAD_PROBLEMS,
          assetProblems.asset_type_unsupported,
          assetProblems.asset_unreadable,
          assetProblems.asset_too_large,
          storageProblems.storage_quota_exceeded,
          storageProblems.storage_unavailable,
        ],
        tags,
        summary: 'Upload an image',
        description:
          'Takes a form with one file part, the bytes of the file as the body, or JSON with a `url` from which the service fetches the file: without a credential, from public hosts, with at most three redirects, within 60 seconds. A URL that is not allowed is 422 `asset_source_refused`, one that gives no file 422 `asset_source_unavailable`. The limits of size and quota are the same. A repetition with the same `Idempotency-Key` does not fetch the file again. The storage quota must have room for the whole file while the service receives it, even if the account already has the same file; otherwise 413 `storage_quota_exceeded`. A repetition with the same `Idempotency-Key` needs no room. Images may have 100 megapixels. The limit is lower for images that must be decoded as a whole (progressive JPEG, interlaced PNG, WebP, and images that EXIF rotates): decoding may take 640 MiB, which is 83 megapixels of a WebP, of a progressive CMYK JPEG or of an interlaced PNG with 16-bit RGBA. Larger images are 422 `asset_too_large`. A TIFF must have unsigned samples of 8 or 16 bits and at most one extra channel; otherwise 422 `asset_type_unsupported`.',
        body: UploadBody,
        response: { 200: AssetBody, 201: AssetBody },
      },
    },
    async (request, reply) => {
      const ownerId = principalOf(request).userId
      const source = sourceOf(deps, request.body, { ownerId, signal: signalOfHangUp(reply) })
      return takeUpload(deps, request, reply, {
        maxBytes: MAX_ASSET_BYTES,
        ...(source === undefined ? {} : { source }),
        reserve: (bytes) => deps.quota.reserve(ownerId, bytes),
        examine: async (file) => ({ ...file, info: await examineFile(deps, ownerId, file) }),
        record: async (trx, { info, ...file }) => {
          const { asset, created } = await addAsset(trx, { ownerId, file, info, now: deps.clock.now() })
          return { body: toAssetBody(asset), created }
        },
      })
    },
  )
}

function readRoutes(app: App, { db }: AssetDeps): void {
  app.get(
    '/assets',
    {
      onRequest: requireScope('assets:read'),
      schema: {
        operationId: 'listAssets',
        tags,
        summary: "List the caller's assets",
        description: 'Newest first. The list contains no bytes.',
        querystring: PageQuery,
        response: { 200: AssetPage },
      },
    },
    async (request) => {
      const ownerId = principalOf(request).userId
      const page = { ownerId, after: readCursor(request.query), limit: request.query.limit }
      return toPage(await listAssets(db, page), request.query, toAssetBody)
    },
  )

  app.get(
    '/assets/:assetId',
    {
      onRequest: requireScope('assets:read'),
      schema: {
        operationId: 'getAsset',
        tags,
        summary: 'Read the metadata of an asset',
        description: 'Returns media type, size in pixels and colour space of the image.',
        params: AssetParams,
        response: { 200: AssetBody },
      },
    },
    async (request) => toAssetBody(await requireAsset(db, request.params.assetId, principalOf(request).userId)),
  )
}
