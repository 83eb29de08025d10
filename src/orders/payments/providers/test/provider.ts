import type { ChargeState, OpenProvider, PaymentProvider } from '../provider.ts'

const OUTCOMES: Readonly<Record<string, ChargeState>> = {
  test_ok: { status: 'authorized' },
  test_declined: { status: 'declined', reason: 'card_declined' },
  test_timeout: { status: 'unanswered' },
}

/**
 * Opens a provider that moves no money: the token of a payment determines its outcome. The service refuses to use it in
 * production.
 */
const testProvider: PaymentProvider = {
  name: 'test',
  acceptsToken: (token) => Object.hasOwn(OUTCOMES, token),
  refusalOf: () => undefined,
  authorize: async ({ token }) => OUTCOMES[token] ?? { status: 'unanswered' },
  retrieve: async () => ({ status: 'unconfirmed' }),
  capture: async () => ({ status: 'captured' }),
  release: async () => 0,
  refund: async ({ id }) => ({ status: 'succeeded', reference: `test_${id}` }),
  listRefunds: async () => [],
}

export const openTestProvider: OpenProvider<object> = async () => ({ provider: testProvider })
