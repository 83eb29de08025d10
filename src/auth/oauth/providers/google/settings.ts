import { checkServiceUrl, requireHttps } from '../../../../config/values/checks.ts'
import { optional, readPair, withDefault } from '../../../../config/values/kinds.ts'
import type { OidcClient } from '../oidc/settings.ts'
import type { PresetSettings } from '../settings.ts'

const table = {
  PLATEN_GOOGLE_CLIENT_ID: optional(),
  PLATEN_GOOGLE_CLIENT_SECRET: optional(),
  PLATEN_GOOGLE_ISSUER: withDefault('https://accounts.google.com', checkServiceUrl),
}

export const googleSettings: PresetSettings<typeof table, OidcClient> = {
  title: 'Google',
  table,
  switchedOnBy: 'PLATEN_GOOGLE_CLIENT_ID',
  aliases: {
    PLATEN_GOOGLE_CLIENT_SECRET: 'PLATEN_GOOGLE_SECRET',
    PLATEN_GOOGLE_ISSUER: 'PLATEN_GOOGLE_CLIENT_ISSUER',
  },
  read: (values) => {
    const pair = readPair(values, 'PLATEN_GOOGLE_CLIENT_ID', 'PLATEN_GOOGLE_CLIENT_SECRET')
    if (pair === undefined) return undefined
    const issuer = values.PLATEN_GOOGLE_ISSUER
    if (values.production) requireHttps('PLATEN_GOOGLE_ISSUER', issuer)
    return { clientId: pair[0], clientSecret: pair[1], issuer }
  },
}
