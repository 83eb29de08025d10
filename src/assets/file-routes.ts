import type { FastifyReply, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { requireScope } from '../auth/index.ts'
import type { Db } from '../platform/db/index.ts'
import { accountOf, principalOf } from '../platform/http/core/principal.ts'
import { LINK_ROUTE_DESCRIPTION, LinkBody, LinkQuery, toLinkBody } from '../platform/http/links/link-schemas.ts'
import { allowEmbedding, requireLinked, type SignedLinks } from '../platform/http/links/signed-links.ts'
import { isNotModified, sendNotModified } from '../platform/http/responses/etag.ts'
import { STORED_FILE_RESPONSES, type StoredFile, sendStored } from '../platform/http/responses/send-stored.ts'
import type { App } from '../platform/http/server.ts'
import { type Storage, storageProblems } from '../platform/storage/index.ts'
import { ASSET_EXTENSIONS } from './inspection.ts'
import { requireAsset, requireOriginal } from './require-asset.ts'
import { AssetContent, AssetParams, NewAssetLinkBody, Thumbnail, ThumbnailQuery } from './schemas.ts'
import { type Asset, findLinkedAsset } from './store.ts'
import { createThumbnails, type DrawThumbnail, type Thumbnails } from './thumbnails.ts'

const tags = ['Assets']
const THUMBNAIL_RESPONSES = { 200: Thumbnail, 304: Type.Null() }

/** A later release may draw thumbnails in another way, so clients revalidate them once a day. */
const THUMBNAIL_SECONDS = 86_400

/** Changes when thumbnails look different. */
const THUMBNAIL_VERSION = 't1'

export interface FileDeps {
  db: Db
  storage: Storage
  drawThumbnail: DrawThumbnail
  links: SignedLinks
}

/** Adds the downloads of assets, with the caller's credential and by signed links. */
export function fileRoutes(app: App, deps: FileDeps): void {
  const thumbnails = createThumbnails({ storage: deps.storage, draw: deps.drawThumbnail })
  contentRoute(app, deps)
  thumbnailRoute(app, deps, thumbnails)
  createLinkRoute(app, deps)
  linkedRoutes(app, deps, thumbnails)
}

function contentRoute(app: App, { db, storage }: FileDeps): void {
  app.get(
    '/assets/:assetId/content',
    {
      onRequest: requireScope('assets:read'),
      schema: {
        operationId: 'getAssetContent',
        problems: [storageProblems.storage_unavailable],
        tags,
        summary: 'Download an asset',
        description:
          'Returns the file as it was uploaded. For customers, an image of the shop is 404; its thumbnail is not. The `ETag` never changes, so a client may keep it. With storage in S3 the response is 302 to a signed URL of the bucket.',
        params: AssetParams,
        response: { 200: AssetContent, ...STORED_FILE_RESPONSES },
      },
    },
    async (request, reply) => {
      const asset = await requireOriginal(db, request.params.assetId, principalOf(request))
      return sendStored(request, reply, { storage, file: contentOf(asset) })
    },
  )
}

function thumbnailRoute(app: App, { db }: FileDeps, thumbnails: Thumbnails): void {
  app.get(
    '/assets/:assetId/thumbnail',
    {
      onRequest: requireScope('assets:read'),
      schema: {
        operationId: 'getAssetThumbnail',
        problems: [storageProblems.storage_unavailable],
        tags,
        summary: 'Download a thumbnail of an asset',
        description:
          'Returns WebP in sRGB, upright, with 400 pixels on its longest side, or with `size`; smaller images keep their size. Editors use the larger sizes instead of the upload, which browsers cannot show in the right colours in every format. Transparent parts stay transparent. The service draws the thumbnail when it is read. Thumbnails do not count in the storage quota.',
        params: AssetParams,
        querystring: ThumbnailQuery,
        response: THUMBNAIL_RESPONSES,
      },
    },
    async (request, reply) => {
      const asset = await requireAsset(db, request.params.assetId, principalOf(request).userId)
      const longestSidePx = request.query.size
      return sendThumbnail(request, reply, { thumbnails, asset, maxAgeSeconds: THUMBNAIL_SECONDS, longestSidePx })
    },
  )
}

function createLinkRoute(app: App, { db, links }: FileDeps): void {
  app.post(
    '/assets/:assetId/links',
    {
      onRequest: requireScope('assets:read'),
      config: { worksWhenDiskIsFull: true },
      schema: {
        operationId: 'createAssetLink',
        tags,
        summary: 'Create a signed link to an asset or its thumbnail',
        description:
          'The link needs no credential, so pages can use it in `<img>`. It ends at `expiresAt`, and when the asset or its account is deleted. The service stores no links, so `Idempotency-Key` has no effect: every request makes a new link.',
        params: AssetParams,
        body: NewAssetLinkBody,
        response: { 201: LinkBody },
      },
    },
    async (request, reply) => {
      const { file, expiresInSeconds: lifeSeconds } = request.body
      const principal = principalOf(request)
      const { id } =
        file === 'content'
          ? await requireOriginal(db, request.params.assetId, principal)
          : await requireAsset(db, request.params.assetId, principal.userId)
      return reply.code(201).send(toLinkBody(links.make(`/links/assets/${id}/${file}`, { lifeSeconds })))
    },
  )
}

function linkedRoutes(app: App, { db, storage, links }: FileDeps, thumbnails: Thumbnails): void {
  const linked = {
    onRequest: links.guard,
    config: { countedAs: 'links', limitsNetwork: true },
  }
  const schema = { tags, description: LINK_ROUTE_DESCRIPTION, params: AssetParams, querystring: LinkQuery }

  app.get(
    '/links/assets/:assetId/content',
    {
      ...linked,
      schema: {
        ...schema,
        operationId: 'getLinkedAssetContent',
        problems: [storageProblems.storage_unavailable],
        summary: 'Download an asset by its link',
        response: { 200: AssetContent, ...STORED_FILE_RESPONSES },
      },
    },
    async (request, reply) => {
      const asset = await requireLinked(findLinkedAsset(db, request.params.assetId))
      allowEmbedding(reply)
      const lifeSeconds = links.remainingSeconds(request)
      return sendStored(request, reply, { storage, file: contentOf(asset), lifeSeconds })
    },
  )

  app.get(
    '/links/assets/:assetId/thumbnail',
    {
      ...linked,
      schema: {
        ...schema,
        operationId: 'getLinkedAssetThumbnail',
        problems: [storageProblems.storage_unavailable],
        summary: 'Download the thumbnail of an asset by its link',
        response: THUMBNAIL_RESPONSES,
      },
    },
    async (request, reply) => {
      const asset = await requireLinked(findLinkedAsset(db, request.params.assetId))
      allowEmbedding(reply)
      return sendThumbnail(request, reply, { thumbnails, asset, maxAgeSeconds: links.remainingSeconds(request) })
    },
  )
}

function contentOf({ id, mediaType, sha256 }: Asset): StoredFile {
  return { sha256, mediaType, disposition: 'inline', fileName: `${id}.${ASSET_EXTENSIONS[mediaType]}` }
}

interface ThumbnailResponse {
  thumbnails: Thumbnails
  asset: Asset
  maxAgeSeconds: number
  /** Default: 400. */
  longestSidePx?: number | undefined
}

async function sendThumbnail(
  request: FastifyRequest,
  reply: FastifyReply,
  { thumbnails, asset, maxAgeSeconds, longestSidePx }: ThumbnailResponse,
): Promise<FastifyReply> {
  reply.header('Cache-Control', `private, max-age=${maxAgeSeconds}`)
  if (isNotModified(request, reply, `"${THUMBNAIL_VERSION}-${longestSidePx ?? ''}${asset.sha256}"`))
    return sendNotModified(reply)
  const bytes = await thumbnails.read(asset, accountOf(request), longestSidePx)
  return reply
    .type('image/webp')
    .header('Content-Disposition', `inline; filename="${asset.id}-thumbnail.webp"`)
    .send(Buffer.from(bytes))
}
