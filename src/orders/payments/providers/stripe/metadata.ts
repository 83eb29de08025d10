import type { Charge } from '../provider.ts'

/** Keys of Stripe metadata that contain the ids of attempts and refunds. */
export const ATTEMPT = 'platen_attempt'
export const REFUND = 'platen_refund'

/** Returns the metadata of everything that Stripe creates for an attempt. */
export function metadataOf({ id, orderId }: Charge): Record<string, string> {
  return { platen_order: orderId, [ATTEMPT]: id }
}

/** Returns the id of the attempt that an object of Stripe names, or undefined if it names none. */
export function attemptIn(metadata: unknown): string | undefined {
  if (typeof metadata !== 'object' || metadata === null) return undefined
  const id = (metadata as Record<string, unknown>)[ATTEMPT]
  return typeof id === 'string' && /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/.test(id) ? id : undefined
}
