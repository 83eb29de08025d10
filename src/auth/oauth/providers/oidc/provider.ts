import {
  allowInsecureRequests,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  type Configuration,
  calculatePKCECodeChallenge,
  clockTolerance,
  discovery,
  enableNonRepudiationChecks,
  fetchUserInfo,
  type IDToken,
} from 'openid-client'
import { requireSubject, toLabel, toName, verifiedEmail } from '../profile.ts'
import { callbackUrl, type Provider, type ProviderDeps } from '../provider.ts'
import {
  boundedFetchOptions,
  PROVIDER_TIMEOUT_SECONDS,
  responseInvalid,
  unavailable,
  withProviderProblems,
} from '../requests.ts'
import type { OidcClient } from './settings.ts'

/** How long discovery metadata is cached. The endpoints of a provider hardly ever change. */
const DISCOVERY_MS = 3600 * 1000

const CLOCK_TOLERANCE_SECONDS = 5

/** Any provider of OpenID Connect Core (code flow). */
export function openOidc(client: OidcClient, deps: ProviderDeps): Provider {
  const discover = createDiscovery(client, deps)
  return {
    authorizationUrl: async ({ state, verifier, nonce }, { authenticatesAgain }) => {
      const configuration = await discover()
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: callbackUrl(deps, deps.name),
        scope: 'openid email profile',
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(verifier),
        code_challenge_method: 'S256',
        ...(authenticatesAgain ? { max_age: '0', prompt: promptFor(configuration) } : {}),
      })
      return url.href
    },
    readProfile: async (callback, { state, verifier, nonce }) => {
      const configuration = await discover()
      return withProviderProblems({ log: deps.log, provider: deps.name }, async () => {
        const tokens = await authorizationCodeGrant(configuration, callback, {
          expectedState: state,
          expectedNonce: nonce,
          pkceCodeVerifier: verifier,
          idTokenExpected: true,
        })
        const claims = tokens.claims()
        // The library checks `azp` only if there are several audiences.
        if (claims === undefined || (claims.azp ?? client.clientId) !== client.clientId) throw responseInvalid()
        const { sub, auth_time } = claims
        const subject = requireSubject(sub)
        const person = await findPerson(configuration, tokens.access_token, claims)
        return {
          subject,
          verifiedEmail: verifiedEmail(person.email, person.email_verified),
          name: toName(person.name),
          label: toLabel(person.email),
          ...(auth_time === undefined ? {} : { authenticatedAt: new Date(auth_time * 1000) }),
        }
      })
    },
  }
}

/**
 * Returns the claims of the scopes `email` and `profile`. OpenID Connect Core, 5.4, has them at the UserInfo endpoint; many
 * providers put them into the ID token, too. UserInfo of another subject is refused.
 */
async function findPerson(configuration: Configuration, accessToken: string, claims: IDToken) {
  const { userinfo_endpoint } = configuration.serverMetadata()
  if (claims['email'] !== undefined || userinfo_endpoint === undefined) return claims
  return fetchUserInfo(configuration, accessToken, claims.sub)
}

/** Some providers do not document `login`, such as Google. The account selection at least requires an interaction. */
function promptFor(configuration: Configuration): string {
  const supported = configuration.serverMetadata()['prompt_values_supported']
  return Array.isArray(supported) && supported.includes('login') ? 'login' : 'select_account'
}

/** Sends the secret in the form, unless the provider supports HTTP Basic only. */
function authenticateClient(secret: string): ClientAuth {
  const [inForm, basic] = [ClientSecretPost(secret), ClientSecretBasic(secret)]
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? []
    const isBasicOnly = methods.includes('client_secret_basic') && !methods.includes('client_secret_post')
    return (isBasicOnly ? basic : inForm)(server, ...request)
  }
}

/** Caches the discovery, as a single flight, for an hour. A failure is not cached. */
function createDiscovery(
  { issuer, clientId, clientSecret }: OidcClient,
  { name, log, timeoutSeconds = PROVIDER_TIMEOUT_SECONDS }: ProviderDeps,
): () => Promise<Configuration> {
  let known: { configuration: Promise<Configuration>; until: number } | undefined
  const execute = [
    // Without these checks, openid-client relies on TLS and does not verify the signature of an ID token.
    enableNonRepudiationChecks,
    // The settings allow http: issuers outside production only.
    ...(issuer.startsWith('http:') ? [allowInsecureRequests] : []),
  ]
  const ask = async (): Promise<Configuration> => {
    try {
      const options = { execute, timeout: timeoutSeconds, ...boundedFetchOptions }
      const configuration = await withProviderProblems({ log, provider: name }, () =>
        discovery(
          new URL(issuer),
          clientId,
          { client_secret: clientSecret, [clockTolerance]: CLOCK_TOLERANCE_SECONDS },
          authenticateClient(clientSecret),
          options,
        ),
      )
      const { authorization_endpoint, token_endpoint, jwks_uri } = configuration.serverMetadata()
      if ([authorization_endpoint, token_endpoint, jwks_uri].every((url) => URL.canParse(url ?? '')))
        return configuration
    } catch {}
    // No credential was presented yet, so a failed discovery means an outage, not a rejected credential.
    throw unavailable()
  }
  return () => {
    if (known === undefined || known.until <= performance.now()) {
      const asked = { configuration: ask(), until: performance.now() + DISCOVERY_MS }
      known = asked
      asked.configuration.catch(() => {
        if (known === asked) known = undefined
      })
    }
    return known.configuration
  }
}
