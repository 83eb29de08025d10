import type { Inspection } from '../platform/uploads/inspection.ts'

export const PROFILE_MEDIA_TYPE = 'application/vnd.iccprofile'

/** The colour spaces that an output profile can have. */
export const PROFILE_COLOR_SPACES = ['rgb', 'gray', 'cmyk'] as const
export type ProfileColorSpace = (typeof PROFILE_COLOR_SPACES)[number]

/** The properties of an output profile. */
export interface ProfileInfo {
  /** The name in the profile, as one line of text. May be empty. */
  description: string
  colorSpace: ProfileColorSpace
}

type ProfileRefusal = 'color_profile_unsupported' | 'color_profile_unreadable'

/** Reads a profile and converts colours with it, in another process with limits of time and memory. */
export type InspectProfile = (
  file: { path: string },
  ownerId: string,
) => Promise<Inspection<ProfileInfo, ProfileRefusal>>
