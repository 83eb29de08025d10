import type { Inspection } from '../platform/uploads/inspection.ts'

/** Media types of assets, with the file extension of downloads. */
export const ASSET_EXTENSIONS = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/tiff': 'tif',
} as const
export type AssetMediaType = keyof typeof ASSET_EXTENSIONS

export const COLOR_SPACES = ['srgb', 'rgb', 'gray', 'cmyk', 'lab'] as const
export type ColorSpace = (typeof COLOR_SPACES)[number]

/** Properties of a decoded image. */
export interface AssetInfo {
  mediaType: AssetMediaType
  /** Size after the EXIF orientation is applied. */
  widthPx: number
  heightPx: number
  hasAlpha: boolean
  /** `srgb`: RGB with an sRGB profile or none. `rgb`: RGB with another profile. */
  colorSpace: ColorSpace
  /** EXIF orientation of the stored pixels; 1 means upright. */
  orientation: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8
}

type AssetRefusal = 'asset_type_unsupported' | 'asset_unreadable' | 'asset_too_large'

/**
 * Decodes a whole file in another process with limits of time and memory. A file that makes the decoder hang, crash or
 * exceed its memory counts as unreadable.
 */
export type InspectAsset = (file: { path: string }, ownerId: string) => Promise<Inspection<AssetInfo, AssetRefusal>>
