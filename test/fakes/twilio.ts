import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

const ACCOUNT = 'AC0123456789abcdef0123456789abcdef'
const PASSWORD = 'the auth token of the account'

/**
 * What the fake does with a request: it sends this response (with `isEndless`, the body never ends), sends no response,
 * or closes the connection.
 */
export type Behaviour =
  | { status: number; body?: string; headers?: Record<string, string>; isEndless?: boolean }
  | 'hang'
  | 'disconnect'

export interface ReceivedText {
  to: string
  from: string
  text: string
}

export interface ReceivedRequest {
  path: string
  /** The `user:password` of HTTP Basic authentication. */
  credentials: string | undefined
  form: Record<string, string>
}

export interface FakeTwilio {
  /** The URL for `PLATEN_SMS_URL`, with account and password. */
  url: string
  password: string
  /** The accepted messages, in order. */
  messages: ReceivedText[]
  /** All requests, including rejected ones. */
  requests: ReceivedRequest[]
  /** Sets the behaviour of the next requests, one for each request. The fake accepts later requests. */
  next(...behaviours: Behaviour[]): void
  /** Gives every request this behaviour from now on. With undefined, the fake accepts requests again. */
  always(behaviour: Behaviour | undefined): void
}

/** Starts a fake of Twilio's message endpoint (`POST /2010-04-01/Accounts/{AccountSid}/Messages.json`). */
export async function startTwilio(t: TestContext): Promise<FakeTwilio> {
  const messages: ReceivedText[] = []
  const upcoming: Behaviour[] = []
  let standing: Behaviour | undefined
  const requests: ReceivedRequest[] = []

  const server = createServer(async (request, response) => {
    const form = Object.fromEntries(new URLSearchParams(await readText(request)))
    const received = { path: request.url ?? '', credentials: readCredentials(request), form }
    requests.push(received)
    const behaviour = upcoming.shift() ?? standing
    if (behaviour === 'hang') return
    if (behaviour === 'disconnect') return void request.socket.destroy()
    if (behaviour !== undefined) {
      response.writeHead(behaviour.status, behaviour.headers)
      if (behaviour.isEndless === true) response.write(behaviour.body ?? ' ')
      else response.end(behaviour.body ?? '')
      return
    }
    const refusal = refuse(request, received)
    if (refusal !== undefined) return answer(response, refusal)
    messages.push({ to: form['To'] ?? '', from: form['From'] ?? '', text: form['Body'] ?? '' })
    answer(response, { status: 201, sid: `SM${String(messages.length).padStart(32, '0')}` })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return {
    url: `http://${ACCOUNT}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`,
    password: PASSWORD,
    messages,
    requests,
    next: (...behaviours) => void upcoming.push(...behaviours),
    always: (behaviour) => {
      standing = behaviour
    },
  }
}

interface TestResponse {
  status: number
  [member: string]: unknown
}

/**
 * Returns the error with which Twilio would reject a request: its own error number, and a message that repeats values
 * of the request. Returns undefined for a valid request.
 */
function refuse(request: IncomingMessage, { path, credentials, form }: ReceivedRequest): TestResponse | undefined {
  if (credentials !== `${ACCOUNT}:${PASSWORD}`) return { status: 401, code: 20003, message: 'Authenticate' }
  if (request.method !== 'POST' || path !== `/2010-04-01/Accounts/${ACCOUNT}/Messages.json`) {
    return { status: 404, code: 20404, message: `The requested resource ${path} was not found` }
  }
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded') !== true) {
    return { status: 400, code: 21604, message: "A 'To' phone number is required." }
  }
  const { To = '', From, Body } = form
  if (!/^\+\d{7,15}$/.test(To)) return { status: 400, code: 21211, message: `The 'To' number ${To} is not valid` }
  if (From === undefined) return { status: 400, code: 21603, message: "A 'From' phone number is required." }
  if (Body === undefined) return { status: 400, code: 21602, message: 'Message body is required.' }
  return undefined
}

function readCredentials({ headers }: IncomingMessage): string | undefined {
  const encoded = /^Basic (.+)$/.exec(headers.authorization ?? '')?.[1]
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString('utf8')
}

function answer(response: ServerResponse, body: TestResponse): void {
  response.writeHead(body.status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
}

async function readText(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks).toString('utf8')
}
