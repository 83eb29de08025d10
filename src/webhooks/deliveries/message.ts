/** What is posted to an endpoint: a message of Standard Webhooks 1.0. */
export interface MessageHead {
  eventId: string
  /** When it is sent. */
  at: Date
}

/** Seconds since 1970. */
export function timestampOf({ at }: Pick<MessageHead, 'at'>): number {
  return Math.floor(at.getTime() / 1000)
}

/** The id is that of the event and the same in every attempt, so that receivers can tell repetitions. */
export function headersOf({ eventId, at }: MessageHead, signature: string): Record<string, string> {
  return {
    'content-type': 'application/json',
    'webhook-id': eventId,
    'webhook-timestamp': String(timestampOf({ at })),
    'webhook-signature': signature,
  }
}
