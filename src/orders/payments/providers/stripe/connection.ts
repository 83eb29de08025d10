import type { Clock } from '../../../../platform/clock.ts'
import type { Log } from '../../../../platform/log.ts'
import { VERSION } from '../../../../platform/version.ts'
import { type OpenProvider, type PaymentProvider, STEP_SECONDS } from '../provider.ts'
import { createStripeProvider } from './provider.ts'
import { type ReadStripeEvent, stripeRoutes } from './routes.ts'
import type { StripeSettings } from './settings.ts'

/** For one request. */
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

/** Stripe's package takes a quarter of a second to load, so it is loaded where it is used. */
export async function connectStripe(
  { secretKey, webhookSecret, apiUrl }: StripeSettings,
  { clock, log, timeoutMs = TIMEOUT_MS }: { clock: Clock; log: Log; timeoutMs?: number },
): Promise<StripeConnection> {
  const { Stripe } = await import('stripe')
  const url = new URL(apiUrl)
  const protocol = url.protocol === 'http:' ? 'http' : 'https'
  const stripe = new Stripe(secretKey, {
    protocol,
    host: url.hostname,
    port: url.port === '' ? (protocol === 'http' ? 80 : 443) : Number(url.port),
    timeout: timeoutMs,
    // Whoever asks goes on by the state of the payment, and within a time of their own. A connection that was closed while
    // it was not used is tried once more in any case.
    maxNetworkRetries: 0,
    telemetry: false,
    appInfo: { name: 'Platen', version: VERSION },
  })
  return {
    provider: createStripeProvider(stripe, log, { timeoutMs, stepMs: STEP_SECONDS * 1000 }),
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
