/** What the headers of a message state (Standard Webhooks 1.0). */
export interface MessageHead {
  eventId: string
  at: Date
}

/** Returns the value of `webhook-timestamp`: Unix time in seconds. */
export function timestampOf({ at }: Pick<MessageHead, 'at'>): number {
  return Math.floor(at.getTime() / 1000)
}

/**
 * Returns the headers of a request. `webhook-id` is the id of the event in every attempt, so that receivers recognize
 * events that they received before.
 */
export function headersOf({ eventId, at }: MessageHead, signature: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampOf({ at })),
    'webhook-signature': signature,
  }
}
