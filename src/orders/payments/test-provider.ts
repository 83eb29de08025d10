import type { ChargeOutcome, PaymentProvider } from './provider.ts'

const OUTCOMES: Readonly<Record<string, ChargeOutcome['status']>> = {
  test_ok: 'captured',
  test_declined: 'declined',
  test_timeout: 'unanswered',
}

/** Moves no money: the token says how the charge ends. Refused in production. */
export const testProvider: PaymentProvider = {
  name: 'test',
  knowsToken: (token) => Object.hasOwn(OUTCOMES, token),
  charge: async ({ attemptId, token }) => {
    const status = OUTCOMES[token]
    if (status === 'captured') return { status, reference: `test_${attemptId}` }
    return { status: status ?? 'declined' }
  },
}
