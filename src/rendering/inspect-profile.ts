import { readFile } from 'node:fs/promises'
import type { Sharp } from 'sharp'
import { MAX_PROFILE_BYTES, readProfile } from './color/read-profile.ts'
import { type ProfileRefusal, Refused } from './errors.ts'
import { openImage, openSamples } from './images/open-image.ts'

/** The properties of an output profile. */
export type ProfileInfo = {
  description: string
  colorSpace: 'rgb' | 'gray' | 'cmyk'
}

const COLOR_SPACES = { RGB: 'rgb', GRAY: 'gray', CMYK: 'cmyk' } as const
/** The names of the colour spaces in libvips. */
const INTERPRETATIONS = { RGB: 'srgb', GRAY: 'b-w', CMYK: 'cmyk' } as const

/** White, black, the primaries and a grey, as RGB bytes. The test converts them with the profile. */
const COLORS = Buffer.from('ffffff000000ff000000ff000000ff808080', 'hex')

/**
 * Checks whether an ICC profile can be the output profile of print files (ISO 15930-7, section 6.2.2): the profile must
 * describe an output device, and its tables must convert colours in both directions. For the test, the function writes
 * an image beside the file.
 *
 * Rejects with `Refused`.
 */
export async function inspectProfile(path: string): Promise<ProfileInfo> {
  const bytes = await readFile(path)
  if (bytes.length > MAX_PROFILE_BYTES) {
    throw new Refused<ProfileRefusal>('color_profile_unsupported', 'The profile is larger than 4 MiB.')
  }
  const profile = readProfile(bytes)
  if (profile === undefined) {
    throw new Refused<ProfileRefusal>(
      'color_profile_unreadable',
      'The file is not an ICC profile of version 2 or 4 for RGB, grey or CMYK, or it is damaged.',
    )
  }
  if (profile.deviceClass !== 'prtr') {
    const detail = `The profile has the class "${profile.deviceClass}"; an output profile must have the class "prtr" (output device).`
    throw new Refused<ProfileRefusal>('color_profile_unsupported', detail)
  }
  const { colorSpace, description, tags } = profile
  const isCurve = colorSpace === 'GRAY' && tags.has('kTRC')
  if (!isCurve && !(tags.has('A2B0') && tags.has('B2A0'))) {
    throw new Refused<ProfileRefusal>(
      'color_profile_unsupported',
      'The profile lacks tables that convert colours to and from those of its device.',
    )
  }
  await convertBothWays(path, INTERPRETATIONS[colorSpace])
  return { description, colorSpace: COLOR_SPACES[colorSpace] }
}

async function convertBothWays(path: string, interpretation: string): Promise<void> {
  const picture = `${path}.tif`
  try {
    const colors = openSamples(COLORS, { width: COLORS.length / 3, height: 1, channels: 3 })
    const there = refusingFallbacks(colors.toColourspace(interpretation).withIccProfile(path))
    await there.done(there.image.tiff().toFile(picture))
    const back = refusingFallbacks(openImage(picture).toColourspace('srgb'))
    await back.done(back.image.raw().toBuffer())
  } catch {
    const detail = 'The profile cannot convert colours to those of its device and back.'
    throw new Refused<ProfileRefusal>('color_profile_unreadable', detail)
  }
}

/**
 * If a profile does not work, sharp only emits a warning and converts without the profile. This function turns the
 * warning into a rejection.
 */
function refusingFallbacks(image: Sharp) {
  let isRefused = false
  image.on('warning', (warning: string) => {
    isRefused ||= warning.startsWith('Invalid')
  })
  const done = async (work: Promise<unknown>): Promise<void> => {
    await work
    if (isRefused) throw new Error('The profile was not used')
  }
  return { image, done }
}
