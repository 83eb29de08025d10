import type { PaymentProvider } from './provider.ts'

/**
 * Returns a provider that is never called. Each call fails as if the provider did not respond, so whatever needs the
 * provider waits until a service sends again.
 */
export function silentProvider(provider: PaymentProvider): PaymentProvider {
  const refuse = async (): Promise<never> => {
    throw new Error('the payment provider was not called, because PLATEN_SEND is off')
  }
  const { name, acceptsToken, pageToken, tokenHint, refusalOf, register } = provider
  return {
    ...{ name, acceptsToken, tokenHint, refusalOf },
    ...(pageToken === undefined ? {} : { pageToken }),
    ...(register === undefined ? {} : { register: refuse }),
    ...{ authorize: refuse, retrieve: refuse, capture: refuse },
    ...{ release: refuse, refund: refuse, listRefunds: refuse, listDisputes: refuse },
  }
}
