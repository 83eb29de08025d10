import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'
import { exportJWK, SignJWT } from 'jose'
import Provider from 'oidc-provider'
import { createGrants, type FakeServer, sendJson, startFakeServer } from './authorization-server.ts'

const CLIENT = { id: 'platen-at-google', secret: 'the secret that Google gave' }

/**
 * Returns the settings with which the service uses the fake as a provider.
 * @param prefix the beginning of the names of the provider's environment variables
 */
function settings(issuer: string, prefix: string): Record<string, string> {
  return {
    [`${prefix}_ISSUER`]: issuer,
    [`${prefix}_CLIENT_ID`]: CLIENT.id,
    [`${prefix}_CLIENT_SECRET`]: CLIENT.secret,
  }
}

export type Claims = Record<string, unknown>

/**
 * How an ID token is signed: with the published key, with another key of the same name, with a shared secret, or not at
 * all.
 */
export type Signing = 'right' | 'foreign' | 'shared' | 'none'

export interface Google extends FakeServer {
  env: Record<string, string>
  /** The claims of the user who signs in. */
  person: Claims
  signing: Signing
  /** The issuer that the discovery document states. */
  issuer: string
  /**
   * The response of the UserInfo endpoint. The discovery document names this endpoint only if this field is set before
   * the service reads the document.
   */
  userInfo: Claims | undefined
  /** Changes the claims of ID tokens. A claim with the value undefined is removed. */
  alter: (claims: Claims) => Claims
  /** The ID token that was issued last. */
  lastIdToken: string
}

/**
 * Starts a fake of Google's sign-in that can issue invalid ID tokens. As with Google, the tokens have the claims of
 * `email` and `profile`.
 *
 * @param prefix the beginning of the names of the environment variables, for a fake of another OpenID provider
 */
export async function startGoogle(t: TestContext, prefix = 'PLATEN_GOOGLE'): Promise<Google> {
  const keys = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const grants = createGrants(CLIENT)
  const fake = await startFakeServer(t, (self) => ({
    '/.well-known/openid-configuration': async (_request, response) =>
      sendJson(response, {
        issuer: google.issuer,
        authorization_endpoint: `${self.url}/o/oauth2/v2/auth`,
        token_endpoint: `${self.url}/token`,
        jwks_uri: `${self.url}/oauth2/v3/certs`,
        ...(google.userInfo === undefined ? {} : { userinfo_endpoint: `${self.url}/userinfo` }),
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        code_challenge_methods_supported: ['S256'],
      }),
    '/userinfo': async (_request, response) => sendJson(response, google.userInfo),
    '/oauth2/v3/certs': async (_request, response) =>
      sendJson(response, { keys: [{ ...(await exportJWK(keys.publicKey)), kid: 'key-1', use: 'sig', alg: 'RS256' }] }),
    '/o/oauth2/v2/auth': async (_request, response, url) =>
      grants.authorize(url, response, { iss: self.url, scope: url.searchParams.get('scope') ?? '', prompt: 'none' }),
    '/token': async (request, response) => {
      const grant = await grants.redeem(request)
      if (grant === undefined) return sendJson(response, { error: 'invalid_grant' }, 400)
      const now = Math.floor(Date.now() / 1000)
      const nonce = grant.asked.get('nonce') ?? undefined
      const standard = { iss: self.url, aud: CLIENT.id, iat: now, exp: now + 3600, nonce }
      google.lastIdToken = await sign(google.alter({ ...standard, ...google.person }))
      sendJson(response, {
        access_token: randomBytes(8).toString('hex'),
        token_type: 'Bearer',
        id_token: google.lastIdToken,
      })
    },
  }))

  const sign = async (claims: Claims): Promise<string> => {
    const unsigned = new SignJWT(claims)
    if (google.signing === 'none') return `${encode({ alg: 'none' })}.${encode(claims)}.`
    if (google.signing === 'shared') {
      return unsigned.setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(CLIENT.secret.padEnd(32, '.')))
    }
    const { privateKey } = google.signing === 'right' ? keys : foreign
    return unsigned.setProtectedHeader({ alg: 'RS256', kid: 'key-1' }).sign(privateKey)
  }

  const google: Google = Object.assign(fake, {
    env: settings(fake.url, prefix),
    person: { sub: '1054321', email: 'ada@example.com', email_verified: true, name: 'Ada Lovelace' },
    signing: 'right' as const,
    issuer: fake.url,
    userInfo: undefined,
    alter: (claims: Claims) => claims,
    lastIdToken: '',
  })
  return google
}

function encode(value: object): string {
  return Buffer.from(JSON.stringify(value)).toString('base64url')
}

/** Starts a complete OpenID provider (oidc-provider, certified), at which only the given user signs in. */
export async function startOpenIdProvider(
  t: TestContext,
  {
    callbackUrl,
    person,
    prefix = 'PLATEN_GOOGLE',
    isPlain = false,
  }: {
    callbackUrl: string
    person: Claims & { sub: string }
    prefix?: string
    /**
     * Uses the defaults of OpenID Connect: clients authenticate with HTTP Basic, and only the UserInfo endpoint returns
     * the email address.
     */
    isPlain?: boolean
  },
): Promise<Record<string, string>> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: CLIENT.id,
        client_secret: CLIENT.secret,
        redirect_uris: [callbackUrl],
        token_endpoint_auth_method: isPlain ? 'client_secret_basic' : 'client_secret_post',
      },
    ],
    cookies: { keys: ['for the tests'] },
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: isPlain,
    ...(isPlain ? { clientAuthMethods: ['client_secret_basic'] as const } : {}),
    features: { devInteractions: { enabled: false } },
    findAccount: (_context, id) => ({ accountId: id, claims: async () => person }),
    loadExistingGrant: async ({ oidc }) => {
      if (oidc.client === undefined || oidc.session?.accountId === undefined) return undefined
      const grant = new oidc.provider.Grant({ clientId: oidc.client.clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope('openid email profile')
      await grant.save()
      return grant
    },
    interactions: { url: (_context, interaction) => `/sign-in/${interaction.uid}` },
  })
  const answer = provider.callback()
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/sign-in/')) return void answer(request, response)
    void provider.interactionFinished(request, response, { login: { accountId: person.sub } })
  })
  return settings(issuer, prefix)
}
