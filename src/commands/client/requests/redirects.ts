import { CommandError } from '../../command-line/command-error.ts'

type Init = RequestInit & { headers: Record<string, string> | Headers }

const STATUSES = new Set([301, 302, 303, 307, 308])
const MAX_REDIRECTS = 5
/** Headers that are sent to other origins, too. */
const HARMLESS = new Set(['accept', 'range', 'if-range', 'user-agent'])

/**
 * Sends a request. `fetch` alone would follow a redirect with a password or a key in the body, and turn POST into GET.
 *
 * @throws {CommandError} if the response is a redirect
 */
export async function fetchOnce(url: string, init: Init): Promise<Response> {
  const response = await fetch(url, { ...init, redirect: 'manual' })
  if (STATUSES.has(response.status)) throw refusal(response, url, init)
  return response
}

/**
 * Sends a request and, if it is GET or HEAD, follows redirects. The API key and all headers except `HARMLESS` are
 * sent to the origin of the first URL only, and not when another server has redirected back to it.
 *
 * @throws {CommandError} if a redirect is not followed
 */
export async function fetchFollowing(url: string, init: Init): Promise<Response> {
  const { origin } = new URL(url)
  let from = url
  let hasLeft = false
  for (let followed = 0; ; followed += 1) {
    hasLeft ||= new URL(from).origin !== origin
    const headers = hasLeft ? harmlessOf(init) : init.headers
    const response = await fetch(from, { ...init, headers, redirect: 'manual' })
    if (!STATUSES.has(response.status)) return response
    const target = URL.parse(response.headers.get('location') ?? '//', from)
    const isReading = init.method === 'GET' || init.method === 'HEAD'
    if (!isReading || target === null || !isAsSafe(target, from) || followed === MAX_REDIRECTS) {
      throw refusal(response, from, init)
    }
    await response.body?.cancel()
    from = target.href
  }
}

function harmlessOf({ headers }: Init): Headers {
  return new Headers([...new Headers(headers)].filter(([name]) => HARMLESS.has(name)))
}

/** Tells whether a redirect leads to HTTP or HTTPS, and not from an encrypted to an open connection. */
function isAsSafe({ protocol }: URL, from: string): boolean {
  return protocol === 'https:' || (protocol === 'http:' && new URL(from).protocol === 'http:')
}

function refusal({ status, headers }: Response, from: string, { method = 'GET' }: Init): CommandError {
  const location = headers.get('location') ?? 'no location'
  return new CommandError(
    `${from} redirects to ${location} (status ${status}), which is not followed for this ${method} request. If the service has moved, name its origin with --url.`,
  )
}
