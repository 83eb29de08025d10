import { defineIds } from '../platform/ids.ts'

export const { prefixes, isId, newId } = defineIds({
  user: 'usr',
  customer: 'cus',
  session: 'ses',
  apiKey: 'key',
  credential: 'cred',
  factor: 'fac',
  challenge: 'chl',
  securityEvent: 'aud',
  invitation: 'inv',
  factorReset: 'frs',
})
