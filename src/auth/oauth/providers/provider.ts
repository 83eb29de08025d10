import type { Config } from '../../../config/index.ts'
import type { Log } from '../../../platform/log.ts'

/** The identity providers. The names are part of the API and of every identity that is stored. */
export const PROVIDER_NAMES = ['google', 'github'] as const
export type ProviderName = (typeof PROVIDER_NAMES)[number]

export const PROVIDER_TITLES: Readonly<Record<ProviderName, string>> = { google: 'Google', github: 'GitHub' }

export function isProviderName(name: string): name is ProviderName {
  return (PROVIDER_NAMES as readonly string[]).includes(name)
}

/** Ties a response of the provider to the flow that asked for it; 256 bits each, none derived from another. */
export interface FlowSecrets {
  state: string
  /** PKCE (RFC 7636). */
  verifier: string
  /** OpenID Connect Core, 3.1.2.1; a provider that signs no ID tokens does without. */
  nonce: string
}

/** A person as the provider knows them. */
export interface Profile {
  /** The provider's id of them, which never changes; 1 to 255 visible ASCII characters. */
  subject: string
  /** Normalised; undefined unless the provider says that it belongs to them. */
  verifiedEmail: string | undefined
  /** Fit to be shown, 1 to 100 characters; or null. */
  name: string | null
  /** By which they recognise the account: email address or login name. */
  label: string | null
  /** When they last authenticated at the provider; undefined where it does not say. */
  authenticatedAt?: Date
}

/** `amr` of a verification by a provider, which does not say how it verified the person. */
export const PROVIDER_METHODS = ['fed']

export interface Provider {
  /**
   * Makes the URL that the browser is sent to.
   *
   * @param options `authenticatesAgain` asks the provider not to rely on an earlier sign-in, as far as it supports that
   * @throws `provider_unavailable`
   */
  authorizationUrl(secrets: FlowSecrets, options: { authenticatesAgain: boolean }): Promise<string>
  /**
   * Redeems the code with which the provider sent the browser back.
   *
   * @param callback the URL that the browser was sent back to, with its query
   * @throws `provider_answer_invalid`, `provider_unavailable`
   */
  readProfile(callback: URL, secrets: FlowSecrets): Promise<Profile>
}

export interface ProviderDeps {
  config: Pick<Config, 'origin' | 'google' | 'github'>
  log: Log
  /** How long one request to a provider may take. */
  timeoutSeconds?: number
}

/** The redirect URI that the operator registers at the provider. */
export function callbackUrl({ origin }: Pick<Config, 'origin'>, provider: ProviderName): string {
  return `${origin}/v1/api/auth/${provider}/callback`
}
