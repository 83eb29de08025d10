/** A message of Standard Webhooks 1.0. */
export interface MessageHead {
  eventId: string
  at: Date
}

/** Unix time in seconds. */
export function timestampOf({ at }: Pick<MessageHead, 'at'>): number {
  return Math.floor(at.getTime() / 1000)
}

/** `webhook-id` is the id of the event in every attempt, so that receivers recognize repetitions. */
export function headersOf({ eventId, at }: MessageHead, signature: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampOf({ at })),
    'webhook-signature': signature,
  }
}
