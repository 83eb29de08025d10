import type { Config } from '../config/index.ts'
import { createOrigins } from '../platform/http/core/origins.ts'
import type { ConfigurationBody } from './configuration-schema.ts'

export interface ConfigurationDeps {
  config: Pick<Config, 'production' | 'origin' | 'shopUrl' | 'pageOrigins' | 'redirectUris' | 'passkeys' | 'send'>
  /** How customers pay. */
  readPayments(): Promise<{
    provider: string
    mode: 'live' | 'test' | null
    webhookPath: string | null
    lastWebhookAt: Date | null
    /** Whether the provider does not let the service read disputes. */
    lacksDisputes: boolean
  }>
}

/** Collects what the environment sets, without secrets, and what is probably wrong with it. */
export async function readConfiguration({ config, readPayments }: ConfigurationDeps): Promise<ConfigurationBody> {
  const { origin, shopUrl, pageOrigins, redirectUris, passkeys } = config
  const { provider, mode, webhookPath, lastWebhookAt, lacksDisputes } = await readPayments()
  const payments = {
    ...{ provider, mode, webhookUrl: webhookPath === null ? null : `${origin}${webhookPath}` },
    lastWebhookAt: lastWebhookAt?.toISOString() ?? null,
  }
  return {
    payments,
    domains: {
      ...{ publicUrl: origin, shopUrl, corsOrigins: [...pageOrigins], redirectUris: [...redirectUris] },
      ...{ passkeyDomain: passkeys.rpId, passkeyOrigins: [...passkeys.origins] },
    },
    warnings: [
      ...paymentWarnings(payments, config),
      ...(lacksDisputes ? ['payment_disputes_unavailable' as const] : []),
      ...domainWarnings(config),
      ...(config.send ? [] : ['sending_off' as const]),
    ],
  }
}

type Warning = ConfigurationBody['warnings'][number]

function paymentWarnings(
  { provider, mode, webhookUrl, lastWebhookAt }: ConfigurationBody['payments'],
  { production }: ConfigurationDeps['config'],
): Warning[] {
  return [
    ...(webhookUrl !== null && lastWebhookAt === null ? ['payment_webhook_never_received' as const] : []),
    ...(provider !== 'manual' && production && mode === 'test' ? ['payments_in_test_mode' as const] : []),
  ]
}

function domainWarnings({
  production,
  origin,
  shopUrl,
  pageOrigins,
  passkeys,
}: ConfigurationDeps['config']): Warning[] {
  const shopOrigin = new URL(shopUrl).origin
  const mayCall = shopOrigin === origin || createOrigins(pageOrigins).has(shopOrigin)
  return [
    ...(mayCall ? [] : ['shop_origin_not_allowed' as const]),
    ...(passkeys.origins.includes(shopOrigin) ? [] : ['shop_without_passkeys' as const]),
    ...(production && !origin.startsWith('https:') ? ['public_url_insecure' as const] : []),
  ]
}
