import type { Config } from '../../../config/index.ts'
import type { Log } from '../../../platform/log.ts'
import type { OAuthClient } from './settings.ts'

/** Ties a response of the provider to the flow that requested it. Each is an independent value of 256 bits. */
export interface FlowSecrets {
  state: string
  /** PKCE (RFC 7636). */
  verifier: string
  /** OpenID Connect Core, 3.1.2.1. A provider without ID tokens ignores it. */
  nonce: string
}

/** A user as the provider describes them. */
export interface Profile {
  /** The provider's permanent id of the user; 1 to 255 visible ASCII characters. */
  subject: string
  /** Normalized; undefined unless the provider has verified that it belongs to the user. */
  verifiedEmail: string | undefined
  /** Displayable, 1 to 100 characters; or null. */
  name: string | null
  /** Email address or login name by which the user recognizes the account. */
  label: string | null
  /** The user's last authentication at the provider; undefined if the provider does not report it. */
  authenticatedAt?: Date
}

/** `amr` of an authentication at a provider, which does not report its method. */
export const PROVIDER_METHODS = ['fed']

export interface Provider {
  /**
   * Makes the URL to which the browser is redirected.
   *
   * @param options `authenticatesAgain` asks the provider not to rely on an earlier sign-in, as far as it supports that
   * @throws `provider_unavailable`
   */
  authorizationUrl(secrets: FlowSecrets, options: { authenticatesAgain: boolean }): Promise<string>
  /**
   * Redeems the authorization code of a callback.
   *
   * @param callback the URL of the callback, with its query
   * @throws `provider_answer_invalid`, `provider_unavailable`
   */
  readProfile(callback: URL, secrets: FlowSecrets): Promise<Profile>
}

/** Opens a provider with the client that the operator registered there. */
export type OpenProvider<Client extends OAuthClient> = (client: Client, deps: ProviderDeps) => Provider

export interface ProviderDeps {
  name: string
  origin: string
  log: Log
  timeoutSeconds?: number
}

/** Returns the redirect URI that the operator registers at the provider. */
export function callbackUrl({ origin }: Pick<Config, 'origin'>, name: string): string {
  return `${origin}/v1/api/auth/${name}/callback`
}
