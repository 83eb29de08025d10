import { checkServiceUrl, refuseExposed } from '../../../../config/values/checks.ts'
import { ConfigError } from '../../../../config/values/config-error.ts'
import { type Check, optional, readPair, withDefault } from '../../../../config/values/kinds.ts'
import type { ProviderSettings } from '../settings.ts'

export interface StripeSettings {
  secretKey: string
  webhookSecret: string
  apiUrl: string
}

// Error messages about secrets never repeat the value.

const checkSecretKey: Check = (value, { name }) => {
  if (/^(sk|rk)_\w+$/.test(value)) return value
  throw new ConfigError(name, 'must be a secret or restricted key of Stripe: sk_... or rk_...')
}

const checkWebhookSecret: Check = (value, { name }) => {
  if (/^whsec_\S+$/.test(value)) return value
  throw new ConfigError(name, "must be the signing secret of Stripe's endpoint: whsec_...")
}

const checkApiUrl: Check = (value, variable) => {
  const url = checkServiceUrl(value, variable)
  if (new URL(url).origin === url) return url
  throw new ConfigError(variable.name, 'must be scheme, host and port only, such as https://api.stripe.com.')
}

const table = {
  PLATEN_STRIPE_SECRET_KEY: optional(checkSecretKey),
  PLATEN_STRIPE_WEBHOOK_SECRET: optional(checkWebhookSecret),
  PLATEN_STRIPE_API_URL: withDefault('https://api.stripe.com', checkApiUrl),
}

export const stripeSettings: ProviderSettings<typeof table, StripeSettings> = {
  table,
  required: ['PLATEN_STRIPE_SECRET_KEY', 'PLATEN_STRIPE_WEBHOOK_SECRET'],
  read: (values) => {
    const pair = readPair(values, 'PLATEN_STRIPE_SECRET_KEY', 'PLATEN_STRIPE_WEBHOOK_SECRET')
    if (pair === undefined) return undefined
    const apiUrl = values.PLATEN_STRIPE_API_URL
    if (values.production) refuseExposed('PLATEN_STRIPE_API_URL', apiUrl)
    return { secretKey: pair[0], webhookSecret: pair[1], apiUrl }
  },
}
