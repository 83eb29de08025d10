import { setTimeout as delay } from 'node:timers/promises'

export interface PersistentAnswer {
  status: number
  // biome-ignore lint/suspicious/noExplicitAny: callers know what the address answers
  body: any
  /** How often the request was sent. */
  tries: number
}

/** Sends a request with the same idempotency key until it gets a final response. A careful client does the same. */
export type Ask = (
  method: string,
  path: string,
  options: { token: string; json?: object; key?: string },
) => Promise<PersistentAnswer>

const GIVE_UP_AFTER_MS = 150_000

/**
 * The codes of responses after which the request is repeated: the first attempt still runs, or a killed process
 * interrupted it.
 */
const STILL_RUNNING = ['idempotency_key_in_progress', 'payment_in_progress']

/**
 * Creates a client that survives restarts of the service.
 * @param origin scheme, host and port of the service
 */
export function createPersistentClient(origin: string): Ask {
  return async (method, path, { token, json, key }) => {
    const deadline = Date.now() + GIVE_UP_AFTER_MS
    const request = {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        ...(key === undefined ? {} : { 'idempotency-key': key }),
      },
      body: json === undefined ? null : JSON.stringify(json),
    }
    let obstacle: unknown
    for (let tries = 1; Date.now() < deadline; tries += 1) {
      try {
        const answer = await fetch(`${origin}/v1${path}`, request)
        // biome-ignore lint/suspicious/noExplicitAny: as above
        const body = (await answer.json()) as any
        if (answer.status < 500 && !STILL_RUNNING.includes(body.code)) return { status: answer.status, body, tries }
        obstacle = JSON.stringify(body)
      } catch (error) {
        obstacle = error
      }
      await delay(25)
    }
    throw new Error(`${method} ${path} got no response`, { cause: obstacle })
  }
}
