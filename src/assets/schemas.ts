import { type Static, Type } from 'typebox'
import { customerIdOf } from '../auth/index.ts'
import { linkLifeMember } from '../platform/http/links/link-schemas.ts'
import { pageOf } from '../platform/http/responses/pagination.ts'
import { ASSET_EXTENSIONS, type AssetMediaType, COLOR_SPACES, type ColorSpace } from './inspection.ts'
import { type Asset, SHOP_OWNER } from './store.ts'

const closed = { additionalProperties: false } as const

export const AssetBody = Type.Object(
  {
    id: Type.String(),
    customerId: Type.String({ description: 'Id of the customer who owns it. `shop` for an image of the shop.' }),
    mediaType: Type.Unsafe<AssetMediaType>({ type: 'string', enum: Object.keys(ASSET_EXTENSIONS) }),
    bytes: Type.Integer(),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'Hash of the uploaded bytes.' }),
    widthPx: Type.Integer({ description: 'Size after applying the EXIF orientation.' }),
    heightPx: Type.Integer({ description: 'Size after applying the EXIF orientation.' }),
    hasAlpha: Type.Boolean(),
    colorSpace: Type.Unsafe<ColorSpace>({
      type: 'string',
      enum: COLOR_SPACES,
      description: '`srgb` is RGB with an sRGB profile or none. `rgb` is RGB with another profile.',
    }),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { ...closed, title: 'Asset' },
)
export type AssetBody = Static<typeof AssetBody>

export const AssetPage = pageOf(AssetBody)
export const AssetParams = Type.Object({ assetId: Type.String() }, closed)

const bytes = { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) }
const imageTypes = Object.fromEntries(Object.keys(ASSET_EXTENSIONS).map((mediaType) => [mediaType, bytes]))

/** This schema is only documentation, because a schema cannot check a stream. */
export const UploadBody = {
  content: {
    'application/json': {
      schema: Type.Object(
        { url: Type.String({ maxLength: 2_048, description: 'The service fetches the file from this URL.' }) },
        closed,
      ),
    },
    'multipart/form-data': {
      schema: Type.Object({ file: bytes.schema }, closed),
    },
    ...imageTypes,
    'application/octet-stream': bytes,
  },
}

export const AssetContent = { description: 'The uploaded bytes.', content: imageTypes }

/** A few sizes, so that the cache holds few forms of an image. */
export const ThumbnailQuery = Type.Object(
  {
    size: Type.Optional(
      Type.Unsafe<400 | 800 | 1600>({
        type: 'integer',
        enum: [400, 800, 1600],
        description: 'Pixels of the longest side. Default: 400.',
      }),
    ),
  },
  { additionalProperties: false },
)

export const Thumbnail = { description: 'The thumbnail.', content: { 'image/webp': bytes } }

export const NewAssetLinkBody = Type.Object(
  { file: Type.Unsafe<'content' | 'thumbnail'>({ type: 'string', enum: ['content', 'thumbnail'] }), ...linkLifeMember },
  closed,
)

export function toAssetBody(asset: Asset): AssetBody {
  return {
    id: asset.id,
    customerId: asset.ownerId === SHOP_OWNER ? SHOP_OWNER : customerIdOf(asset.ownerId),
    mediaType: asset.mediaType,
    bytes: asset.bytes,
    sha256: asset.sha256,
    widthPx: asset.widthPx,
    heightPx: asset.heightPx,
    hasAlpha: asset.hasAlpha,
    colorSpace: asset.colorSpace,
    createdAt: asset.createdAt.toISOString(),
  }
}
