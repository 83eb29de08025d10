import type { Log } from './log.ts'
import { fetchOutbound, type OutboundResponse, ResponseTooLong } from './outbound-http.ts'

/** A service that hangs must not hold up the other jobs for long. */
const TIMEOUT_MS = 10_000

/** An answer of the service is some hundred bytes. */
const MAX_ANSWER_BYTES = 65_536

/** Statuses of refusals that say nothing against the message (RFC 9110, RFC 6585). */
const TEMPORARY: readonly number[] = [408, 425, 429]

export interface TextMessage {
  /** E.164. */
  to: string
  text: string
}

/**
 * Hands a text message over to a service. Each time costs money.
 *
 * @returns whether it took the message; `false`: it never will
 * @throws when it may take it later: it is away, busy, or does not answer as such a service does
 */
export type SendText = (message: TextMessage) => Promise<boolean>

/**
 * Sends text messages by a service that takes them as Twilio does (`POST /2010-04-01/Accounts/{user}/Messages.json`).
 *
 * @param serviceUrl with user and password. A path, where there is one, is taken as it is. `?from=` is the sender,
 *   `?MessagingServiceSid=` the service that chooses one
 */
export function createTextSender(serviceUrl: string, log: Log, { timeoutMs = TIMEOUT_MS } = {}): SendText {
  const { address, authorization, sender } = readServiceUrl(serviceUrl)
  return async ({ to, text }) => {
    const response = await fetchOutbound(address, {
      method: 'POST',
      headers: { ...authorization, Accept: 'application/json' },
      body: new URLSearchParams({ To: to, ...sender, Body: text }),
      // The number, the code and the password are for this address and no other.
      redirect: 'manual',
      timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
    })
    const { status } = response
    if (response.ok || status < 400 || status >= 500 || TEMPORARY.includes(status)) {
      // What the body says, or how long it takes, changes nothing about a message that was taken and is paid for.
      await response.discard()
      if (response.ok) return true
      throw new Error(`the SMS service answered ${status}`)
    }
    // The answer's words are not logged: they repeat the number.
    const errorCode = await readErrorCode(response)
    log.error({ status, errorCode }, 'the SMS service refused a text message, which is dropped')
    return false
  }
}

function readServiceUrl(serviceUrl: string) {
  const url = new URL(serviceUrl)
  const [user, password] = [decodeURIComponent(url.username), decodeURIComponent(url.password)]
  const { searchParams: query } = url
  const messagingService = query.get('MessagingServiceSid')
  const from = query.get('from') ?? query.get('From') ?? 'Platen'
  if (url.pathname === '/') url.pathname = `/2010-04-01/Accounts/${encodeURIComponent(user)}/Messages.json`
  // fetch takes no address that holds a password.
  url.username = ''
  url.password = ''
  for (const name of ['from', 'From', 'MessagingServiceSid']) query.delete(name)
  const sender: Record<string, string> =
    messagingService === null ? { From: from } : { MessagingServiceSid: messagingService }
  const credentials = Buffer.from(`${user}:${password}`).toString('base64')
  const authorization: Record<string, string> = user === '' ? {} : { Authorization: `Basic ${credentials}` }
  return { address: url.href, authorization, sender }
}

/** The service's number for an error, if the answer tells one. */
async function readErrorCode(response: OutboundResponse): Promise<number | undefined> {
  try {
    const answer: unknown = JSON.parse((await response.read()).toString('utf8'))
    if (typeof answer !== 'object' || answer === null) return undefined
    const code: unknown = Reflect.get(answer, 'code')
    return typeof code === 'number' ? code : undefined
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ResponseTooLong) return undefined
    throw error
  }
}
