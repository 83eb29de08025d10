import { defineProblems } from '../../../../platform/problem.ts'

export const stripeProblems = defineProblems({
  // Also the response if Stripe is not configured, so that a client cannot find out whether it is.
  stripe_signature_invalid: {
    status: 400,
    title: 'Invalid Stripe signature',
    help: 'The `Stripe-Signature` header must sign the bytes of the body with `PLATEN_STRIPE_WEBHOOK_SECRET`.',
  },
})
