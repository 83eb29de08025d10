import { VERSION } from '../../../../platform/version.ts'
import { type OpenProvider, type PaymentProvider, type ProviderTools, STEP_SECONDS } from '../provider.ts'
import { createStripeProvider } from './provider.ts'
import { type ReadStripeEvent, stripeRoutes } from './routes.ts'
import type { StripeSettings } from './settings.ts'

const TIMEOUT_MS = 10_000

export interface StripeConnection {
  provider: PaymentProvider
  readEvent: ReadStripeEvent
}

export const openStripe: OpenProvider<StripeSettings> = async (settings, tools) => {
  const connection = settings && (await connectStripe(settings, tools))
  return {
    provider: connection?.provider,
    addRoutes: (app, { db }) => stripeRoutes(app, { db, readEvent: connection?.readEvent }),
  }
}

/** Loads the package of Stripe on demand, because that takes 250 ms and processes without Stripe do not need it. */
export async function connectStripe(
  { secretKey, webhookSecret, apiUrl }: StripeSettings,
  { clock, log, shopUrl, timeoutMs = TIMEOUT_MS }: ProviderTools & { timeoutMs?: number },
): Promise<StripeConnection> {
  const { Stripe } = await import('stripe')
  const url = new URL(apiUrl)
  const protocol = url.protocol === 'http:' ? 'http' : 'https'
  const stripe = new Stripe(secretKey, {
    protocol,
    host: url.hostname,
    port: url.port === '' ? (protocol === 'http' ? 80 : 443) : Number(url.port),
    timeout: timeoutMs,
    // Callers repeat a step depending on the state of the payment, within a time limit of their own. The package still
    // repeats a request once if an idle connection was closed.
    maxNetworkRetries: 0,
    telemetry: false,
    appInfo: { name: 'Platen', version: VERSION },
  })
  return {
    provider: createStripeProvider(stripe, log, {
      timeoutMs,
      stepMs: STEP_SECONDS * 1000,
      checkout: { shopUrl, allowsHttp: protocol === 'http' },
    }),
    readEvent: (body, signature) => {
      try {
        const now = clock.now().getTime()
        const { type, data } = Stripe.webhooks.constructEvent(body, signature, webhookSecret, undefined, undefined, now)
        return { type, object: data.object }
      } catch {
        return undefined
      }
    },
  }
}
