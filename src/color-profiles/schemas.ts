import { type Static, Type } from 'typebox'
import { pageOf } from '../platform/http/responses/pagination.ts'
import { PROFILE_COLOR_SPACES, PROFILE_MEDIA_TYPE, type ProfileColorSpace } from './inspection.ts'
import type { ColorProfile } from './store.ts'

const closed = { additionalProperties: false } as const

export const ColorProfileBody = Type.Object(
  {
    id: Type.String(),
    description: Type.String({ description: 'Name stated in the profile.' }),
    colorSpace: Type.Unsafe<ProfileColorSpace>({
      type: 'string',
      enum: PROFILE_COLOR_SPACES,
      description: 'Colour space of the device.',
    }),
    bytes: Type.Integer(),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    createdAt: Type.String({ format: 'date-time' }),
  },
  { ...closed, title: 'ColorProfile' },
)
export type ColorProfileBody = Static<typeof ColorProfileBody>

export const ColorProfilePage = pageOf(ColorProfileBody)
export const ColorProfileParams = Type.Object({ colorProfileId: Type.String() }, closed)

const bytes = { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) }

/** This schema is only documentation, because a schema cannot check a stream. */
export const UploadBody = {
  content: {
    'multipart/form-data': { schema: Type.Object({ file: bytes.schema }, closed) },
    [PROFILE_MEDIA_TYPE]: bytes,
    'application/octet-stream': bytes,
  },
}

export function toColorProfileBody(profile: ColorProfile): ColorProfileBody {
  return { ...profile, createdAt: profile.createdAt.toISOString() }
}
