import { defineProblems } from '../../../../platform/problem.ts'

export const stripeProblems = defineProblems({
  // The service also responds with this problem if Stripe is not configured, so that a client cannot find out whether
  // it is.
  stripe_signature_invalid: {
    status: 400,
    title: 'Invalid Stripe signature',
    help: 'The `Stripe-Signature` header must be a signature of the body, created with the signing secret in `PLATEN_STRIPE_WEBHOOK_SECRET`.',
  },
})
