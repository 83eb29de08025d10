// A shop on its own origin. Its visitors design with the editor of Platen, and have no account there.
import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { join } from 'node:path'

const {
  PLATEN_URL = 'http://127.0.0.1:8080',
  PLATEN_API_KEY,
  PORT = '3000',
  SHOP_PRODUCT = 'A6 postcard',
} = process.env
if (PLATEN_API_KEY === undefined) throw new Error('PLATEN_API_KEY is missing. README.md says how to create a key.')
const service = new URL(PLATEN_URL).origin

/** What the editor needs: its scripts, and requests to the service. Everything else comes from this shop. */
const POLICY = `default-src 'none'; script-src 'self' ${service}; connect-src 'self' ${service}; style-src 'self'`

const FILES = new Map([
  ['/', { name: 'index.html', type: 'text/html; charset=utf-8' }],
  ['/shop.js', { name: 'shop.js', type: 'text/javascript; charset=utf-8' }],
  ['/shop.css', { name: 'shop.css', type: 'text/css; charset=utf-8' }],
])

interface Visit {
  customerId: string
  designId: string
}

/** The visits by the id in the cookie. A real shop stores the two ids beside its own customer. */
const visits = new Map<string, Promise<Visit>>()

/** Calls the service with the API key, which never leaves this server. */
async function platen<Result>(method: string, path: string, body?: object, customerId?: string): Promise<Result> {
  const response = await fetch(`${service}/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${PLATEN_API_KEY}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(customerId === undefined ? {} : { 'platen-customer': customerId }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
  return response.json() as Promise<Result>
}

/** Creates a customer for a visitor, and the customer's first design. */
async function startVisit(visitorId: string): Promise<Visit> {
  const customer = await platen<{ id: string }>('POST', '/customers', { externalId: visitorId })
  const { data: products } = await platen<{ data: { id: string; name: string; variants: { id: string }[] }[] }>(
    'GET',
    `/products?q=${encodeURIComponent(SHOP_PRODUCT)}`,
  )
  const product = products.find(({ name }) => name === SHOP_PRODUCT)
  if (product === undefined) throw new Error(`The service has no product "${SHOP_PRODUCT}"`)
  const order = { productId: product.id, variantId: product.variants[0]?.id, name: SHOP_PRODUCT }
  const design = await platen<{ id: string }>('POST', '/designs', order, customer.id)
  return { customerId: customer.id, designId: design.id }
}

function visitOf(visitorId: string): Promise<Visit> {
  const visit = visits.get(visitorId) ?? startVisit(visitorId)
  visits.set(visitorId, visit)
  visit.catch(() => visits.delete(visitorId))
  return visit
}

/** Issues a token with which the browser can read and change this one design, and upload pictures. */
async function issueToken({ customerId, designId }: Visit): Promise<object> {
  const permissions = ['designs:read', 'designs:write', 'assets:read', 'assets:write']
  const path = `/customers/${customerId}/tokens`
  const { token, expiresIn } = await platen<Record<string, unknown>>('POST', path, { designId, permissions })
  return { token, expiresIn }
}

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://localhost')
  const file = request.method === 'GET' ? FILES.get(pathname) : undefined
  const known = /(?:^|; )visitor=([\w-]+)/.exec(request.headers.cookie ?? '')?.[1]
  if (file !== undefined) {
    const text = await readFile(join(import.meta.dirname, 'public', file.name), 'utf8')
    response.setHeader('content-security-policy', POLICY)
    if (known === undefined)
      response.setHeader('set-cookie', `visitor=${randomUUID()}; Path=/; HttpOnly; SameSite=Strict`)
    response.writeHead(200, { 'content-type': file.type }).end(text.replaceAll('{service}', service))
    return
  }
  const isAction = request.method === 'POST' && (pathname === '/design' || pathname === '/token')
  if (!isAction || known === undefined) {
    response.writeHead(404).end()
    return
  }
  const visit = await visitOf(known)
  const body = pathname === '/design' ? { designId: visit.designId } : await issueToken(visit)
  response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' }).end(JSON.stringify(body))
}

const server = createServer((request, response) => {
  answer(request, response).catch((error: unknown) => {
    process.stderr.write(`${error}\n`)
    response.writeHead(502).end()
  })
})
server.listen(Number(PORT), 'localhost', () => {
  const address = server.address()
  const port = typeof address === 'object' ? address?.port : PORT
  process.stdout.write(`The shop is at http://localhost:${port}\n`)
})
