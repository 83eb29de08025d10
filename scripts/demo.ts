/**
 * Runs through the journey of a customer over HTTP: sign up, design a postcard, finalize it, order it, pay, follow the
 * delivery.
 */
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { verifyReceipt } from '../src/designs/index.ts'
import { ApiError, call, signUp } from './lib/client.ts'
import { developerCommand } from './lib/developer-command.ts'
import { makePhoto, postcardDocument } from './lib/postcard.ts'
import { type ServiceProcess, startServiceProcess } from './lib/service-process.ts'

const options = developerCommand('npm run demo --', 'Run through the journey of a customer, from sign-up to delivery.')
  .option('--url <url>', 'URL of a running service (default: a service on a temporary database)')
  .option('--output <folder>', 'folder for the files', './demo-output')
  .parse()
  .opts<{ url?: string; output: string }>()

const ADDRESS = { name: 'Ada Example', line1: 'Lindenstraße 12', city: 'Berlin', postalCode: '10969', country: 'DE' }

/** Runs one step, and prints its duration and its result. */
async function step<T>(title: string, work: () => Promise<T>, describe: (result: T) => string = () => ''): Promise<T> {
  const begin = performance.now()
  const result = await work()
  const ms = (performance.now() - begin).toFixed(0).padStart(6)
  console.log(`${ms} ms  ${title.padEnd(36)}${describe(result)}`)
  return result
}

async function main(): Promise<void> {
  if (options.url !== undefined) return journey(options.url.replace(/\/$/, ''))
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-demo-'))
  let service: ServiceProcess | undefined
  try {
    service = await step(
      'start the service, first time',
      () =>
        startServiceProcess({
          PLATEN_DATA_DIR: dataDir,
          PLATEN_PAYMENT_PROVIDER: 'test',
        }),
      ({ origin }) => origin,
    )
    await journey(service.origin)
  } finally {
    await service?.stop()
    await rm(dataDir, { recursive: true, force: true })
  }
}

async function journey(origin: string): Promise<void> {
  const base = `${origin}/v1`
  const email = `ada-${randomUUID().slice(0, 8)}@example.com`
  const password = `a quiet lake at dusk ${randomUUID().slice(0, 4)}`
  const tokens = await step(
    'register, verify, sign in',
    () => signUp(origin, email, password, 'Ada Example'),
    () => email,
  )
  const token = await step(
    'refresh the tokens',
    async () =>
      (await call<typeof tokens>('POST', `${base}/api/auth/refresh`, { json: { refreshToken: tokens.refreshToken } }))
        .body.accessToken,
  )
  const design = await makeDesign(base, token)
  const finalized = await step(
    'finalize: print files and price locked',
    async () => (await call('POST', `${base}/designs/${design.id}/finalize`, { token })).body,
    ({ finalization }) => `${finalization.files.length} files, content ${finalization.contentHash.slice(0, 12)}`,
  )
  await saveFiles(origin, base, token, finalized)
  const order = await placeOrder(base, token, design.id)
  await payOrder(base, token, order.id)
  await followOrder(base, token, order.id)
  await step(
    'read the order back',
    async () => (await call('GET', `${base}/orders/${order.id}`, { token })).body,
    (read) => `${read.number} is ${read.status}, total ${money(read.amounts.total)}`,
  )
  console.log(`\nThe print file, the previews and the receipt are in ${relative('.', options.output) || '.'}/`)
}

async function makeDesign(base: string, token: string): Promise<{ id: string }> {
  const product = await step(
    'choose a product',
    async () => {
      const { body } = await call('GET', `${base}/products?limit=100`)
      const found = body.data.find((one: { name: string }) => one.name === 'A6 postcard')
      if (found === undefined) throw new Error('this installation has no product named "A6 postcard"')
      return found
    },
    ({ name, variants }) => `${name}, ${variants[0].sku}`,
  )
  const photo = await step(
    'make a photo (300 dpi, with bleed)',
    async () => makePhoto(),
    (bytes) => `${(bytes.length / 1e6).toFixed(1)} MB JPEG`,
  )
  const asset = await step(
    'upload the photo',
    async () =>
      (await call('POST', `${base}/assets`, { token, bytes: photo, headers: { 'content-type': 'image/jpeg' } })).body,
    ({ widthPx, heightPx, mediaType }) => `${mediaType}, ${widthPx} x ${heightPx}`,
  )
  return step(
    'save the design, with its preflight',
    async () => {
      const json = {
        name: 'Lake postcard',
        productId: product.id,
        variantId: product.variants[0].id,
        document: postcardDocument(asset.id),
      }
      return (await call('POST', `${base}/designs`, { token, json })).body
    },
    ({ preflight }) => (preflight.ok ? `ok, ${preflight.issues.length} warnings` : JSON.stringify(preflight.issues)),
  )
}

interface FinalizedFile {
  id: string
  kind: string
  mediaType: string
  printAreaId?: string
}

async function saveFiles(
  origin: string,
  base: string,
  token: string,
  design: { id: string; finalization: { files: FinalizedFile[] } },
): Promise<void> {
  await mkdir(options.output, { recursive: true })
  const files: Uint8Array[] = []
  for (const file of design.finalization.files) {
    const name = `${file.kind}${file.printAreaId === undefined ? '' : `-${file.printAreaId}`}.${file.mediaType.split('/')[1]}`
    await step(
      `download ${name}`,
      async () => {
        const { bytes } = await call('GET', `${base}/designs/${design.id}/files/${file.id}`, { token })
        await writeFile(join(options.output, name), bytes)
        files.push(bytes)
        return bytes
      },
      (bytes) => `${(bytes.length / 1e6).toFixed(2)} MB`,
    )
  }
  const { bytes: receipt } = await call('GET', `${base}/designs/${design.id}/receipt`, { token })
  await writeFile(join(options.output, 'receipt.jws'), receipt)
  const { bytes: jwks } = await call('GET', `${origin}/.well-known/jwks.json`)
  await writeFile(join(options.output, 'jwks.json'), jwks)
  await step(
    'verify the receipt, offline',
    async () => verifyReceipt(new TextDecoder().decode(receipt), JSON.parse(new TextDecoder().decode(jwks)), files),
    () => 'genuine, every file matches',
  )
}

async function placeOrder(base: string, token: string, designId: string): Promise<{ id: string }> {
  const quote = await step(
    'request a quote: 50 to Berlin',
    async () => {
      const json = { items: [{ designId, quantity: 50 }], shippingAddress: ADDRESS, shippingMethod: 'standard' }
      return (await call('POST', `${base}/quotes`, { token, json })).body
    },
    ({ amounts }) =>
      `${money(amounts.subtotal)} + shipping ${money(amounts.shipping)} + tax ${money(amounts.tax)} = ${money(amounts.total)}`,
  )
  return step(
    'order',
    async () =>
      (
        await call('POST', `${base}/orders`, {
          token,
          json: { quoteId: quote.id },
          headers: { 'idempotency-key': randomUUID() },
        })
      ).body,
    ({ number, status }) => `${number}, ${status}`,
  )
}

async function payOrder(base: string, token: string, orderId: string): Promise<void> {
  await step(
    'pay with a test token',
    () => call('POST', `${base}/orders/${orderId}/pay`, { token, json: { token: 'test_ok' } }).catch(notHere),
    (answer) => answer?.body.status ?? 'not possible here: an operator records payments',
  )
}

async function followOrder(base: string, token: string, orderId: string): Promise<void> {
  for (const [title, simulated] of [
    ['production begins', 'start_production'],
    ['a first parcel is shipped', 'ship_part'],
    ['the parcel is returned as damaged', 'damage'],
    ['the remaining items are shipped', 'ship'],
    ['the parcel is delivered', 'deliver'],
    ['the customer returns the parcel', 'return'],
  ] as const) {
    const moved = await step(
      title,
      () => call('POST', `${base}/dev/orders/${orderId}/advance`, { token, json: { step: simulated } }).catch(notHere),
      (answer) => answer?.body.timeline.at(-1).type ?? 'not possible here: operators advance orders',
    )
    if (moved === undefined) return
  }
}

/** Ignores an error of a request that only test installations accept. The service given with `--url` may not be one. */
function notHere(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.status >= 500) throw error
}

function money({ amount, currency }: { amount: number; currency: string }): string {
  return `${(amount / 100).toFixed(2)} ${currency}`
}

await main()
