const HEADER_BYTES = 128
const MAX_BYTES = 1024 * 1024

export type IccColorSpace = 'RGB' | 'GRAY' | 'CMYK'

/** The colour space of a profile that may be passed on (ICC.1:2022, 7.2); undefined when its header does not hold. */
export function iccColorSpace(profile: Buffer): IccColorSpace | undefined {
  if (profile.length < HEADER_BYTES || profile.length > MAX_BYTES) return undefined
  if (profile.readUInt32BE(0) !== profile.length || profile.toString('latin1', 36, 40) !== 'acsp') return undefined
  const space = profile.toString('latin1', 16, 20).trimEnd()
  return space === 'RGB' || space === 'GRAY' || space === 'CMYK' ? space : undefined
}

/** Whether a profile calls itself sRGB. Its name stands in the `desc` tag, as ASCII (version 2) or UTF-16 (version 4). */
export function isSrgbProfile(profile: Buffer): boolean {
  return iccColorSpace(profile) === 'RGB' && profile.toString('latin1').replaceAll('\0', '').includes('sRGB')
}
