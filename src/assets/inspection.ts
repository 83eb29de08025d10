import type { Inspection } from '../platform/uploads/inspection.ts'

/** The kinds of files that can be assets, with the extension each is handed out under. */
export const ASSET_EXTENSIONS = {
  'image/jpeg': 'jpg',
  'image/png': 'png',
  'image/webp': 'webp',
  'image/tiff': 'tif',
} as const
export type AssetMediaType = keyof typeof ASSET_EXTENSIONS

export const COLOR_SPACES = ['srgb', 'rgb', 'gray', 'cmyk', 'lab'] as const
export type ColorSpace = (typeof COLOR_SPACES)[number]

/** What decoding a file found out about it. */
export interface AssetInfo {
  mediaType: AssetMediaType
  /** As seen upright: after the EXIF orientation. */
  widthPx: number
  heightPx: number
  hasAlpha: boolean
  /** `srgb` also for RGB without a profile, `rgb` for RGB with another profile. */
  colorSpace: ColorSpace
  /** EXIF orientation of the stored pixels; 1 where they are upright. */
  orientation: 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8
}

type AssetRefusal = 'asset_type_unsupported' | 'asset_unreadable' | 'asset_too_large'

/**
 * Decodes a whole file outside this process, within bounds of time and memory. What hangs, crashes or outgrows the
 * decoder counts as unreadable: the file is refused, and the service goes on.
 */
export type InspectAsset = (file: { path: string }, ownerId: string) => Promise<Inspection<AssetInfo, AssetRefusal>>
