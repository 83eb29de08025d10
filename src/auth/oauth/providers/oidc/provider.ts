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

/** Time for which discovery metadata is cached. The endpoints of a provider hardly ever change. */
const DISCOVERY_MS = 3600 * 1000

const CLOCK_TOLERANCE_SECONDS = 5

/** Opens a provider that supports the authorization code flow of OpenID Connect Core. */
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
        // Checked here, because the library checks `azp` only if the token has several audiences.
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
 * Returns the claims of the scopes `email` and `profile`. Many providers put them into the ID token. If it does not
 * contain the email address, the claims come from the UserInfo endpoint (OpenID Connect Core, section 5.4). A response
 * about another subject is rejected.
 */
async function findPerson(configuration: Configuration, accessToken: string, claims: IDToken) {
  const { userinfo_endpoint } = configuration.serverMetadata()
  if (claims['email'] !== undefined || userinfo_endpoint === undefined) return claims
  return fetchUserInfo(configuration, accessToken, claims.sub)
}

/**
 * Returns the prompt that makes the user authenticate again. Some providers, such as Google, do not list `login` as
 * supported. With `select_account`, the user must at least select the account.
 */
function promptFor(configuration: Configuration): string {
  const supported = configuration.serverMetadata()['prompt_values_supported']
  return Array.isArray(supported) && supported.includes('login') ? 'login' : 'select_account'
}

/**
 * Sends the client secret in the body of the form. If the provider supports only HTTP Basic, sends it in the header.
 */
function authenticateClient(secret: string): ClientAuth {
  const [inForm, basic] = [ClientSecretPost(secret), ClientSecretBasic(secret)]
  return (server, ...request) => {
    const methods = server.token_endpoint_auth_methods_supported ?? []
    const isBasicOnly = methods.includes('client_secret_basic') && !methods.includes('client_secret_post')
    return (isBasicOnly ? basic : inForm)(server, ...request)
  }
}

/**
 * Returns a function that discovers the metadata of a provider. The result is cached for an hour, and concurrent
 * callers share one request. Failures are not cached.
 */
function createDiscovery(
  { issuer, clientId, clientSecret }: OidcClient,
  { name, log, timeoutSeconds = PROVIDER_TIMEOUT_SECONDS }: ProviderDeps,
): () => Promise<Configuration> {
  let known: { configuration: Promise<Configuration>; until: number } | undefined
  const execute = [
    // Without this option, openid-client relies on TLS and does not verify the signatures of ID tokens.
    enableNonRepudiationChecks,
    // The settings allow `http:` issuers only outside of production.
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
    // The discovery sends no credential, so any failure means that the provider is unavailable.
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
