import type { Config } from '../../config/index.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { PaymentProviders } from './providers/providers.ts'
import { connectStripe, type StripeConnection } from './providers/stripe/connection.ts'
import { testProvider } from './providers/test-provider.ts'

/** The providers that the settings name: the one through which customers pay, and those that can give back. */
export async function openPayments(
  config: Pick<Config, 'paymentProvider' | 'stripe'>,
  tools: { clock: Clock; log: Log },
): Promise<PaymentProviders & { stripe: StripeConnection | undefined }> {
  const stripe = config.stripe && (await connectStripe(config.stripe, tools))
  const all = [testProvider, ...(stripe === undefined ? [] : [stripe.provider])]
  const provider = all.find(({ name }) => name === config.paymentProvider)
  return { provider, formerProviders: all.filter((one) => one !== provider), stripe }
}
