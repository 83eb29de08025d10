import type { Inspection } from '../platform/uploads/inspection.ts'

/** The media types of assets, with the file extensions of downloads. */
export const ASSET_EXTENSIONS = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/tiff': 'tif',
} as const
export type AssetMediaType = keyof typeof ASSET_EXTENSIONS

export const COLOR_SPACES = ['srgb', 'rgb', 'gray', 'cmyk', 'lab'] as const
export type ColorSpace = (typeof COLOR_SPACES)[number]

/** The properties of a decoded image. */
export interface AssetInfo {
  mediaType: AssetMediaType
  /** The size of the image with its EXIF orientation applied. */
  widthPx: number
  heightPx: number
  hasAlpha: boolean
  /** `srgb` means RGB with an sRGB profile or none. `rgb` means RGB with another profile. */
  colorSpace: ColorSpace
  /** EXIF orientation of the stored pixels; 1 means upright. */
  orientation: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8
}

type AssetRefusal = 'asset_type_unsupported' | 'asset_unreadable' | 'asset_too_large'

/**
 * Decodes a whole file in another process, with limits of time and memory. If the decoder hangs or exceeds its memory,
 * the file is rejected as too large. If the decoder crashes, the file is rejected as unreadable.
 */
export type InspectAsset = (file: { path: string }, ownerId: string) => Promise<Inspection<AssetInfo, AssetRefusal>>
