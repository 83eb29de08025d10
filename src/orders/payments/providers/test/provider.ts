import type { ChargeState, OpenProvider, PaymentProvider, RefusedCharge } from '../provider.ts'

/** What a token makes of a charge. */
interface Script {
  authorize: ChargeState
  /** The state of the charge when it is read later. Left out: the charge is not registered before it is authorized. */
  retrieve?: ChargeState
  capture?: RefusedCharge
}

const SCRIPTS: Readonly<Record<string, Script>> = {
  test_ok: { authorize: { status: 'authorized' } },
  test_declined: { authorize: { status: 'declined', reason: 'card_declined' } },
  test_insufficient_funds: { authorize: { status: 'declined', reason: 'insufficient_funds' } },
  test_timeout: { authorize: { status: 'unanswered' } },
  // The simulated customer acts at once, so the charge is authorized when it is read again.
  test_3ds: {
    authorize: { status: 'action_required', action: { type: 'test_3ds' } },
    retrieve: { status: 'authorized' },
  },
  test_async: {
    authorize: { status: 'action_required', action: { type: 'test_processing' } },
    retrieve: { status: 'captured' },
  },
  test_late_failure: {
    authorize: { status: 'authorized' },
    capture: { status: 'declined', reason: 'card_declined' },
  },
}

/**
 * Opens a provider that moves no money: the token of a payment determines its outcome. The service refuses to use it in
 * production.
 */
const testProvider: PaymentProvider = {
  name: 'test',
  tokenHint: `Test tokens: ${Object.keys(SCRIPTS).join(', ')}.`,
  acceptsToken: (token) => Object.hasOwn(SCRIPTS, token),
  refusalOf: () => undefined,
  authorize: async ({ token }) => SCRIPTS[token]?.authorize ?? { status: 'unanswered' },
  retrieve: async ({ token }) => SCRIPTS[token]?.retrieve ?? { status: 'unconfirmed' },
  capture: async ({ token }) => SCRIPTS[token]?.capture ?? { status: 'captured' },
  release: async () => ({ returned: 0 }),
  refund: async ({ id }) => ({ status: 'succeeded', reference: `test_${id}` }),
  listRefunds: async () => [],
  listDisputes: async () => [],
}

export const openTestProvider: OpenProvider<object> = async () => ({ provider: testProvider })
