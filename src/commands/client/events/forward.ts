import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { VERSION } from '../../../platform/version.ts'
import { headersOf, timestampOf } from '../../../webhooks/deliveries/message.ts'
import { signatureOf } from '../../../webhooks/endpoints/secrets.ts'
import { usageError } from '../../command-line/command-error.ts'
import { causeOf } from '../requests/request.ts'
import type { ReceivedEvent } from './received-event.ts'

/** Delays before the second, third and fourth attempt. A developer waits for them, so they are short. */
const RETRY_MS = [500, 1_000, 2_000]

/** As for webhooks: connection and response together. */
const ATTEMPT_WITHIN_MS = 15_000

export interface Receiver {
  url: string
  /** `whsec_` and base64, as in Standard Webhooks. */
  secret: string
}

export interface ForwardOptions {
  signal: AbortSignal
  /** Called with the outcome of each attempt. */
  report: (line: string) => void
}

/** Checks the value of `--forward-to`. */
export function checkReceiverUrl(text: string): string {
  const url = URL.parse(text)
  if (url !== null && /^https?:$/.test(url.protocol) && url.username === '') return url.href
  throw usageError(`--forward-to must be a URL such as http://127.0.0.1:3000/hooks, but is '${text}'.`)
}

export function newSigningSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** Checks the value of `--secret`. Standard Webhooks requires 24 to 64 bytes. */
export function checkSecret(text: string): string {
  const encoded = text.replace(/^whsec_/, '')
  const bytes = Buffer.from(encoded, 'base64')
  const isBase64 = text.startsWith('whsec_') && bytes.toString('base64') === encoded
  if (isBase64 && bytes.length >= 24 && bytes.length <= 64) return text
  throw usageError("--secret must be 'whsec_' and 24 to 64 bytes in base64, as Standard Webhooks requires.")
}

/** Posts an event as the service posts webhooks. After a few failed attempts it returns, so that later events follow. */
export async function forward(event: ReceivedEvent, receiver: Receiver, options: ForwardOptions): Promise<void> {
  const { signal, report } = options
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    const startMs = performance.now()
    const { isDelivered, outcome } = await post(event, receiver, signal)
    if (signal.aborted) return
    const took = `${outcome} in ${Math.round(performance.now() - startMs)} ms`
    if (isDelivered) return report(`  delivered: ${took}`)
    const pauseMs = RETRY_MS[attempt]
    if (pauseMs === undefined) return report(`  failed: ${took}. Not retried after ${attempt + 1} attempts`)
    report(`  failed: ${took}. Retrying in ${pauseMs / 1000} s`)
    await delay(pauseMs, undefined, { signal }).catch(() => undefined)
  }
}

async function post({ id, json }: ReceivedEvent, { url, secret }: Receiver, signal: AbortSignal) {
  const at = new Date()
  const key = Buffer.from(secret.replace('whsec_', ''), 'base64')
  const signature = signatureOf([key], { id, timestamp: timestampOf({ at }), body: json })
  const headers = { ...headersOf({ eventId: id, at }, signature), 'user-agent': `Platen/${VERSION}` }
  const until = AbortSignal.any([signal, AbortSignal.timeout(ATTEMPT_WITHIN_MS)])
  try {
    const response = await fetch(url, { method: 'POST', headers, body: json, redirect: 'manual', signal: until })
    // The response counts when it is complete, as for webhooks.
    const text = await readText(response)
    const reason = response.ok || text === '' ? '' : ` (${text.replaceAll(/\s+/g, ' ')})`
    return { isDelivered: response.ok, outcome: `status ${response.status}${reason}` }
  } catch (error) {
    return { isDelivered: false, outcome: causeOf(error) }
  }
}

/** What a report shows of a response. */
const SHOWN_CHARACTERS = 200

/** Reads a whole response, and returns the beginning of its text. */
async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  for await (const chunk of body ?? []) {
    if (text.length < SHOWN_CHARACTERS) text += decoder.decode(chunk, { stream: true })
  }
  return text.slice(0, SHOWN_CHARACTERS)
}
