import type { Config } from '../../../config/index.ts'
import type { Log } from '../../../platform/telemetry/log.ts'
import type { OAuthClient } from './settings.ts'

/** Values that tie a response of the provider to the flow that requested it. Each is a random value of 256 bits. */
export interface FlowSecrets {
  state: string
  /** The verifier of PKCE (RFC 7636). */
  verifier: string
  /**
   * Value that an ID token must contain (OpenID Connect Core, section 3.1.2.1). A provider without ID tokens ignores
   * it.
   */
  nonce: string
}

/** A user as the provider describes them. */
export interface Profile {
  /** The permanent id of the user at the provider: 1 to 255 visible ASCII characters. */
  subject: string
  /**
   * The normalized email address. Undefined unless the provider states that it has verified that the user owns the
   * email address.
   */
  verifiedEmail: string | undefined
  /** The name of the user in 1 to 100 characters that can be displayed. Null if unknown. */
  name: string | null
  /** Email address or login name, from which the user recognizes the account at the provider. */
  label: string | null
  /** When the user last authenticated at the provider. Undefined if the provider does not report it. */
  authenticatedAt?: Date
}

/**
 * The `amr` of a sign-in with a provider. It does not say how the user authenticated there, because providers do not
 * report it.
 */
export const PROVIDER_METHODS = ['fed']

export interface Provider {
  /**
   * Makes the URL to which the browser is redirected.
   *
   * @param options `authenticatesAgain` asks the provider to authenticate the user again, as far as the provider
   * supports it
   * @throws `provider_unavailable`
   */
  authorizationUrl(secrets: FlowSecrets, options: { authenticatesAgain: boolean }): Promise<string>
  /**
   * Redeems the authorization code of a callback and reads the profile of the user.
   *
   * @param callback the URL of the callback, with its query
   * @throws `provider_answer_invalid`, `provider_unavailable`
   */
  readProfile(callback: URL, secrets: FlowSecrets): Promise<Profile>
}

/** Opens a provider with the client id and secret that the operator registered there. */
export type OpenProvider<Client extends OAuthClient> = (client: Client, deps: ProviderDeps) => Provider

export interface ProviderDeps {
  name: string
  origin: string
  log: Log
  timeoutSeconds?: number
}

/** Returns the redirect URI, which the operator must register at the provider. */
export function callbackUrl({ origin }: Pick<Config, 'origin'>, name: string): string {
  return `${origin}/v1/api/auth/${name}/callback`
}
