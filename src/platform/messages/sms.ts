import { fetchOutbound, type OutboundResponse, ResponseTooLong } from '../outbound-http.ts'
import type { Log } from '../telemetry/log.ts'

/** The timeout is short, because an SMS service that hangs must not delay other jobs. */
const TIMEOUT_MS = 10_000

/** Limit of the response body. A response of the service has some hundred bytes. */
const MAX_ANSWER_BYTES = 65_536

/** Statuses after which a retry of the same message can succeed (RFC 9110, RFC 6585). */
const TEMPORARY: readonly number[] = [408, 425, 429]

export interface TextMessage {
  /** The telephone number in E.164 format. */
  to: string
  text: string
}

/**
 * Sends a text message through a service. Each message costs money.
 *
 * @returns true if the service accepted the message; false if it never will
 * @throws if the service may accept the message later, because it is unavailable, busy, or gives an unexpected response
 */
export type SendText = (message: TextMessage) => Promise<boolean>

/**
 * Creates a function that sends text messages through a service with the API of Twilio (`POST
 * /2010-04-01/Accounts/{user}/Messages.json`).
 *
 * @param serviceUrl URL with user and password. A path in the URL replaces the path of Twilio. `?from=` states the
 *   sender, `?MessagingServiceSid=` a service that chooses the sender
 */
export function createTextSender(serviceUrl: string, log: Log, { timeoutMs = TIMEOUT_MS } = {}): SendText {
  const { address, authorization, sender } = readServiceUrl(serviceUrl)
  return async ({ to, text }) => {
    const response = await fetchOutbound(address, {
      method: 'POST',
      headers: { ...authorization, Accept: 'application/json' },
      body: new URLSearchParams({ To: to, ...sender, Body: text }),
      // Redirects are not followed, because the telephone number, the code and the password are only for this URL.
      redirect: 'manual',
      timeoutMs,
      maxBytes: MAX_ANSWER_BYTES,
    })
    const { status } = response
    if (response.ok || status < 400 || status >= 500 || TEMPORARY.includes(status)) {
      // The message was accepted or failed in any case, so the body is not needed.
      await response.discard()
      if (response.ok) return true
      throw new Error(`the status of the response of the SMS service is ${status}`)
    }
    // The text of the response is not logged, because it repeats the telephone number.
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
  // `fetch` rejects a URL that contains a password.
  url.username = ''
  url.password = ''
  for (const name of ['from', 'From', 'MessagingServiceSid']) query.delete(name)
  const sender: Record<string, string> =
    messagingService === null ? { From: from } : { MessagingServiceSid: messagingService }
  const credentials = Buffer.from(`${user}:${password}`).toString('base64')
  const authorization: Record<string, string> = user === '' ? {} : { Authorization: `Basic ${credentials}` }
  return { address: url.href, authorization, sender }
}

/** Returns the error number of the service, if the response contains one. */
async function readErrorCode(response: OutboundResponse): Promise<number | undefined> {
  try {
    const parsed: unknown = JSON.parse((await response.read()).toString('utf8'))
    if (typeof parsed !== 'object' || parsed === null) return undefined
    const code: unknown = Reflect.get(parsed, 'code')
    return typeof code === 'number' ? code : undefined
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof ResponseTooLong) return undefined
    throw error
  }
}
