import { defineIds } from '../platform/ids.ts'

/** The prefix of the ids of each kind of record. */
export const AUTH_IDS = {
  user: 'usr',
  session: 'ses',
  apiKey: 'key',
  credential: 'cred',
  factor: 'fac',
  challenge: 'chl',
  securityEvent: 'aud',
} as const

export const { isId, newId } = defineIds(AUTH_IDS)
