import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  Configuration,
  calculatePKCECodeChallenge,
  fetchProtectedResource,
} from 'openid-client'
import { requireSubject, toLabel, toName, verifiedEmail } from '../profile.ts'
import { callbackUrl, type Profile, type Provider, type ProviderDeps } from '../provider.ts'
import { boundRequests, PROVIDER_TIMEOUT_SECONDS, responseInvalid, withProviderProblems } from '../requests.ts'
import type { GithubClient } from './settings.ts'

/**
 * Opens GitHub or an Enterprise server as a provider: OAuth 2.0 with PKCE. GitHub issues no ID tokens, so the profile
 * comes from the REST API.
 */
export function openGithub(client: GithubClient, deps: ProviderDeps): Provider {
  const configuration = configure(client, deps.timeoutSeconds ?? PROVIDER_TIMEOUT_SECONDS)
  const redirectUri = callbackUrl(deps, deps.name)
  return {
    authorizationUrl: async ({ state, verifier }, { authenticatesAgain }) => {
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: 'read:user user:email',
        state,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        // GitHub cannot be asked to require the password again. With this prompt, the user must at least select the
        // account.
        ...(authenticatesAgain ? { prompt: 'select_account' } : {}),
      })
      return url.href
    },
    readProfile: (callback, { state, verifier }) =>
      withProviderProblems({ log: deps.log, provider: deps.name }, async () => {
        const tokens = await authorizationCodeGrant(configuration, withoutIssuer(callback), {
          expectedState: state,
          pkceCodeVerifier: verifier,
        })
        return readProfile(configuration, client.apiUrl, tokens.access_token)
      }),
  }
}

function configure({ url, apiUrl, clientId, clientSecret }: GithubClient, timeoutSeconds: number) {
  const configuration = new Configuration(
    {
      issuer: `${url}/login/oauth`,
      authorization_endpoint: `${url}/login/oauth/authorize`,
      token_endpoint: `${url}/login/oauth/access_token`,
    },
    clientId,
    clientSecret,
  )
  boundRequests(configuration, timeoutSeconds)
  // The settings allow http: URLs outside production only.
  if (url.startsWith('http:') || apiUrl.startsWith('http:')) allowInsecureRequests(configuration)
  return configuration
}

/**
 * Removes `iss` (RFC 9207) from a callback, because Enterprise servers send other values than GitHub or none. The
 * parameter would show which provider a callback comes from; here each provider has its own callback URL (RFC 9700,
 * section 4.4.2).
 */
function withoutIssuer(callback: URL): URL {
  const url = new URL(callback)
  url.searchParams.delete('iss')
  return url
}

async function readProfile(configuration: Configuration, apiUrl: string, accessToken: string): Promise<Profile> {
  const get = async (path: string): Promise<unknown> => {
    const headers = new Headers({ accept: 'application/vnd.github+json', 'x-github-api-version': '2022-11-28' })
    const url = new URL(`${apiUrl}${path}`)
    const response = await fetchProtectedResource(configuration, accessToken, url, 'GET', null, headers)
    if (response.status !== 200) throw responseInvalid()
    return response.json()
  }
  const user = await get('/user')
  const emails = await get('/user/emails?per_page=100')
  if (!isRecord(user) || !Array.isArray(emails)) throw responseInvalid()
  const { id, login, name } = user
  // Only a number is accepted. Text could write the same number in several ways, and each would become an identity of
  // its own.
  if (typeof id !== 'number') throw responseInvalid()
  const primary = emails.filter(isRecord).find((email) => email['primary'] === true)
  return {
    subject: requireSubject(id),
    verifiedEmail: verifiedEmail(primary?.['email'], primary?.['verified']),
    name: toName(name, login),
    label: toLabel(login),
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}
