import type { OAuthClient } from '../settings.ts'

/** What the generic implementation needs to know of an OpenID provider. */
export interface OidcClient extends OAuthClient {
  issuer: string
}
