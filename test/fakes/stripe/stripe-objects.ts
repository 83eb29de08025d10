import { randomBytes } from 'node:crypto'

/** The parameters of a request. */
export type Form = Record<string, string>

export interface Intent {
  id: string
  amount: number
  currency: string
  status: string
  paymentMethod: string
  metadata: Form
  description: string
  clientSecret: string
  error: { code: string; decline_code?: string } | null
  /** The operations on this payment that captured or reserved money. */
  moves: string[]
  /** The captured amount, for a payment that was captured in part. */
  received?: number
}

export interface TestResponse {
  status: number
  body: object
}

/** An error in Stripe's format. */
export class Refused extends Error {
  readonly answer: TestResponse
  constructor(status: number, type: string, code: string | undefined, more: object = {}) {
    super(code ?? type)
    const message = `The fake says ${code ?? type}.`
    this.answer = { status, body: { error: { type, ...(code === undefined ? {} : { code }), message, ...more } } }
  }
}

export const CARD_DECLINES: Readonly<Record<string, string>> = {
  pm_card_visa_chargeDeclined: 'generic_decline',
  pm_card_visa_chargeDeclinedInsufficientFunds: 'insufficient_funds',
  pm_card_visa_chargeDeclinedStolenCard: 'stolen_card',
}

export function authorize(intent: Intent): void {
  intent.status = 'requires_capture'
  intent.error = null
  intent.moves.push('hold')
}

export function newId(prefix: string): string {
  return `${prefix}_${randomBytes(12).toString('hex')}`
}

/** Returns the metadata of a form, or of an object within it. */
export function metadataOf(form: Form, prefix = 'metadata'): Form {
  return Object.fromEntries(
    Object.entries(form).flatMap(([name, value]) =>
      name.startsWith(`${prefix}[`) && name.endsWith(']') ? [[name.slice(prefix.length + 1, -1), value]] : [],
    ),
  )
}
