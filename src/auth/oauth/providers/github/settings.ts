import { checkServiceUrl, requireHttps } from '../../../../config/values/checks.ts'
import { optional, readPair, withDefault } from '../../../../config/values/kinds.ts'
import type { OAuthClient, PresetSettings } from '../settings.ts'

export interface GithubClient extends OAuthClient {
  url: string
  apiUrl: string
}

const table = {
  PLATEN_GITHUB_CLIENT_ID: optional(),
  PLATEN_GITHUB_CLIENT_SECRET: optional(),
  PLATEN_GITHUB_URL: withDefault('https://github.com', checkServiceUrl),
  PLATEN_GITHUB_API_URL: optional(checkServiceUrl),
}

export const githubSettings: PresetSettings<typeof table, GithubClient> = {
  title: 'GitHub',
  table,
  switchedOnBy: 'PLATEN_GITHUB_CLIENT_ID',
  aliases: {
    PLATEN_GITHUB_CLIENT_SECRET: 'PLATEN_GITHUB_SECRET',
    PLATEN_GITHUB_URL: 'PLATEN_GITHUB_CLIENT_URL',
    PLATEN_GITHUB_API_URL: 'PLATEN_GITHUB_CLIENT_API_URL',
  },
  read: (values) => {
    const pair = readPair(values, 'PLATEN_GITHUB_CLIENT_ID', 'PLATEN_GITHUB_CLIENT_SECRET')
    if (pair === undefined) return undefined
    const { PLATEN_GITHUB_URL: url } = values
    // The API of github.com has its own host. The API of an Enterprise server is a path on that server.
    const defaultApiUrl = url === 'https://github.com' ? 'https://api.github.com' : `${url}/api/v3`
    const apiUrl = values.PLATEN_GITHUB_API_URL ?? defaultApiUrl
    if (values.production) {
      requireHttps('PLATEN_GITHUB_URL', url)
      requireHttps('PLATEN_GITHUB_API_URL', apiUrl)
    }
    return { clientId: pair[0], clientSecret: pair[1], url, apiUrl }
  },
}
