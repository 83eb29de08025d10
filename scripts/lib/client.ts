/** The response to a request of this minimal client, which uses `fetch`. */
export interface Answer<T> {
  status: number
  headers: Headers
  body: T
  bytes: Uint8Array<ArrayBuffer>
}

export interface Call {
  token?: string | undefined
  json?: unknown
  bytes?: Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
}

export class ApiError extends Error {
  readonly status: number

  constructor(method: string, address: string, status: number, text: string) {
    super(`${method} ${address} returned ${status}: ${text}`)
    this.status = status
  }
}

/**
 * Sends one request and returns the response.
 *
 * @throws {ApiError} for statuses of 400 and above
 */
// biome-ignore lint/suspicious/noExplicitAny: the caller knows the shape of the response
export async function call<T = any>(
  method: string,
  address: string,
  { token, json, bytes, headers }: Call = {},
): Promise<Answer<T>> {
  const response = await fetch(address, {
    method,
    redirect: 'manual',
    headers: {
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(json === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    body: json === undefined ? (bytes ?? null) : JSON.stringify(json),
  })
  const content = new Uint8Array(await response.arrayBuffer())
  const isJson = /\bjson\b/.test(response.headers.get('content-type') ?? '')
  const text = isJson || response.status >= 400 ? new TextDecoder().decode(content) : ''
  if (response.status >= 400) throw new ApiError(method, address, response.status, text)
  return {
    status: response.status,
    headers: response.headers,
    body: (isJson ? JSON.parse(text) : undefined) as T,
    bytes: content,
  }
}

/** Registers an account, opens the link of the mail in the outbox, and signs in. */
export async function signUp(origin: string, email: string, password: string, name?: string) {
  const auth = `${origin}/v1/api/auth`
  await call('POST', `${auth}/register`, { json: { email, password, ...(name === undefined ? {} : { name }) } })
  const { body: outbox } = await call<{ to: string; text: string }[]>('GET', `${origin}/dev/outbox`)
  const token = /token=([\w.-]+)/.exec(outbox.find((mail) => mail.to === email)?.text ?? '')?.[1]
  if (token === undefined) throw new Error(`no mail for ${email} in the outbox`)
  await call('POST', `${auth}/email/verify`, { json: { token } })
  return signIn(origin, email, password)
}

export async function signIn(origin: string, email: string, password: string) {
  const { body } = await call<{ accessToken: string; refreshToken: string }>('POST', `${origin}/v1/api/auth/login`, {
    json: { email, password },
  })
  return body
}
