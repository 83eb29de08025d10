import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import { sql } from 'kysely'
import { makePng, upload } from '../../src/assets/factory.ts'
import { CARD } from '../../src/designs/factory.ts'
import { ADDRESS, startShop } from '../../src/orders/factory.ts'
import type { FileSystemState } from '../../src/platform/storage/index.ts'
import { makeFont } from '../../src/rendering/user-fonts/factory.ts'
import { newBrowser } from '../fakes/sign-in/browser.ts'
import { startGithub } from '../fakes/sign-in/github.ts'
import { startGoogle } from '../fakes/sign-in/google.ts'
import { STRIPE_KEY, STRIPE_WEBHOOK_SECRET } from '../fakes/stripe/stripe.ts'
import { startService, type TestResponse, type TestService, untilEventsVisible } from '../harness.ts'

/**
 * For every operation that changes something, how it behaves while too little disk space is free.
 * - `works`: succeeds for all callers
 * - `to_half`: succeeds for all callers until only half of the minimum is free, and then for operators and
 *   administrators, because it adds an event with a whole order or design
 * - `to_quarter`: the same until only a quarter is free, because anyone can send any number of such requests
 * - `refused`: fails for customers and anonymous callers
 * - `staff`: succeeds for operators and administrators, who alone may call it
 * - `files`: fails for all callers, because it writes files
 */
const OPERATIONS: Readonly<Record<string, 'works' | 'to_half' | 'to_quarter' | 'refused' | 'staff' | 'files'>> = {
  // Products and settings of the shop
  createProduct: 'staff',
  changeProduct: 'staff',
  archiveProduct: 'staff',
  restoreProduct: 'staff',
  previewPrices: 'staff',
  importVariants: 'staff',
  createTemplate: 'staff',
  changeTemplate: 'staff',
  archiveTemplate: 'staff',
  restoreTemplate: 'staff',
  createShippingMethod: 'staff',
  changeShippingMethod: 'staff',
  deleteShippingMethod: 'staff',
  replaceTaxSettings: 'staff',
  changeShopSettings: 'staff',
  uploadColorProfile: 'files',
  deleteColorProfile: 'staff',
  // Assets, fonts and designs
  uploadAsset: 'files',
  deleteAsset: 'works',
  uploadFont: 'files',
  deleteFont: 'works',
  createDesign: 'refused',
  changeDesign: 'refused',
  duplicateDesign: 'refused',
  applyDesignFixes: 'refused',
  restoreDesignRevision: 'refused',
  archiveDesign: 'to_half',
  preflightDesign: 'works',
  finalizeDesign: 'refused',
  // Orders
  createQuote: 'refused',
  createOrder: 'refused',
  payOrder: 'to_half',
  cancelOrder: 'to_half',
  resolveHold: 'refused',
  receiveStripeEvent: 'works',
  recordPayment: 'staff',
  refundOrder: 'staff',
  holdOrder: 'staff',
  releaseOrder: 'staff',
  startProduction: 'staff',
  shipOrder: 'staff',
  changeOrdersInBulk: 'staff',
  downloadPrintFiles: 'staff',
  createBatch: 'staff',
  addOrdersToBatch: 'staff',
  removeOrderFromBatch: 'staff',
  closeBatch: 'staff',
  importShipments: 'staff',
  deliverShipment: 'staff',
  returnShipment: 'staff',
  retryOrderItemFiles: 'staff',
  addOrderNote: 'staff',
  deleteOrderNote: 'staff',
  changeOrder: 'staff',
  changeShipment: 'staff',
  retryJob: 'staff',
  verifyAuditLog: 'staff',
  rotateSigningKeys: 'staff',
  sendTestMail: 'staff',
  previewMailText: 'staff',
  replaceMailText: 'staff',
  resetMailText: 'staff',
  // Webhooks
  createWebhookEndpoint: 'refused',
  updateWebhookEndpoint: 'refused',
  rotateWebhookSecret: 'refused',
  deleteWebhookEndpoint: 'works',
  retryWebhookDelivery: 'refused',
  replayWebhookEvents: 'refused',
  testWebhookEndpoint: 'refused',
  // Sign-in, sign-out, and operations that secure a compromised account
  login: 'to_quarter',
  refresh: 'works',
  challengeSecondFactor: 'to_quarter',
  verifySecondFactor: 'to_quarter',
  offerPasskeySignIn: 'to_quarter',
  signInWithPasskey: 'to_quarter',
  redeemCode: 'to_quarter',
  stepUp: 'works',
  challengeStepUp: 'works',
  stepUpWithIdentity: 'works',
  forgotPassword: 'to_half',
  resetPassword: 'works',
  changePassword: 'works',
  revokeSession: 'works',
  revokeOtherSessions: 'works',
  logout: 'works',
  revokeApiKey: 'works',
  reportLeakedKeys: 'works',
  stopOwnFactorReset: 'works',
  // Other operations of accounts
  register: 'refused',
  verifyEmail: 'refused',
  resendVerification: 'refused',
  changeEmail: 'refused',
  confirmEmail: 'refused',
  enableFactor: 'refused',
  confirmFactor: 'refused',
  removeFactor: 'works',
  renewRecoveryCodes: 'refused',
  offerPasskey: 'refused',
  addPasskey: 'refused',
  renamePasskey: 'refused',
  removePasskey: 'works',
  linkIdentity: 'refused',
  unlinkIdentity: 'works',
  createApiKey: 'refused',
  rotateApiKey: 'refused',
  updateMe: 'refused',
  deleteMe: 'works',
  updateUser: 'staff',
  updateStorageAccount: 'staff',
  revokeUserSessions: 'staff',
  createInvitation: 'staff',
  revokeInvitation: 'staff',
  readInvitation: 'works',
  acceptInvitation: 'refused',
  claimInvitation: 'refused',
  startFactorReset: 'staff',
  confirmFactorReset: 'staff',
  stopFactorReset: 'staff',
  createAssetLink: 'works',
  createDesignLink: 'works',
  createOrderLink: 'works',
  createEventStreamTicket: 'works',
  advanceTestOrder: 'refused',
  createGuest: 'refused',
  claimGuest: 'refused',
  createCustomer: 'staff',
  updateCustomer: 'staff',
  deleteCustomer: 'staff',
  mergeCustomer: 'staff',
  createCustomerToken: 'staff',
}

interface Operation {
  method: string
  path: string
  operationId: string
  /** Whether the operation takes no credential, so that staff are anonymous callers as well. */
  isAnonymous: boolean
}

/**
 * The operations with the method `GET` that add rows, such as a sign-in with a provider. The values have the meaning
 * that they have in `OPERATIONS`.
 */
const WRITING_READS: Readonly<Record<string, 'works' | 'to_quarter' | 'refused'>> = {
  exportMe: 'refused',
  signInWithGoogle: 'to_quarter',
  signInWithGitHub: 'to_quarter',
  finishGoogle: 'works',
  finishGitHub: 'works',
}

const CHANGING_METHODS = ['post', 'put', 'patch', 'delete']

/** Lists the operations of the committed OpenAPI document that have one of the given methods. */
async function listOperations(wanted: readonly string[]): Promise<Operation[]> {
  const { paths } = JSON.parse(await readFile(join(import.meta.dirname, '../../openapi.json'), 'utf8'))
  type Methods = Record<string, { operationId: string; security?: unknown[] }>
  return Object.entries(paths as Record<string, Methods>).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => wanted.includes(method))
      .map(([method, { operationId, security }]) => {
        const isAnonymous = path.includes('/api/auth/') && security?.length === 0
        return { method: method.toUpperCase(), path, operationId, isAnonymous }
      }),
  )
}

/**
 * The service never calls these URLs in this test. Without the settings, it would have no route for Stripe's events.
 */
const STRIPE = {
  PLATEN_PAYMENT_PROVIDER: 'stripe',
  PLATEN_STRIPE_SECRET_KEY: STRIPE_KEY,
  PLATEN_STRIPE_WEBHOOK_SECRET: STRIPE_WEBHOOK_SECRET,
  PLATEN_STRIPE_API_URL: 'http://127.0.0.1:9',
}

async function startOnDisk(t: TestContext) {
  const disk: FileSystemState = { freeBytes: 2 ** 40, totalBytes: 2 ** 41 }
  const service = await startService(t, {
    env: { PLATEN_STORAGE_FREE_MIB: '1024', ...STRIPE },
    overrides: { readFileSystem: async () => ({ ...disk }) },
  })
  /** Calls an operation with unknown ids and without a body. */
  const call = ({ method, path }: Operation, token?: string): Promise<TestResponse> =>
    service.request(method, path.replaceAll(/\{\w+\}/g, 'nothing'), {
      ...(token === undefined ? {} : { token }),
    })
  const fill = async (freeBytes = 2 ** 29): Promise<void> => {
    disk.freeBytes = freeBytes
    // The service caches the amount of free space for a second.
    await pause(1_100)
  }
  return { service, call, fill }
}

const isUnavailable = ({ status, body }: TestResponse): boolean =>
  status === 503 && body?.code === 'storage_unavailable'

test('each operation that changes something declares whether it works on a nearly full disk', async () => {
  const operationIds = (await listOperations(CHANGING_METHODS)).map(({ operationId }) => operationId)
  assert.deepEqual(Object.keys(OPERATIONS).toSorted(), operationIds.toSorted())
})

test('on a nearly full disk, customers add nothing, but can sign in, pay, cancel and delete', async (t) => {
  const { service, call, fill } = await startOnDisk(t)
  // The simulator exists only on the embedded database, and this service has another one.
  const operations = (await listOperations(CHANGING_METHODS)).filter(({ path }) => !path.startsWith('/dev/'))
  const people = [await service.signUp(), await service.signUp({ role: 'admin' })]
  await fill()
  for (const operation of operations) {
    const endsSession = ['logout', 'deleteMe'].includes(operation.operationId)
    const callers = endsSession ? [await service.signUp(), await service.signUp({ role: 'admin' })] : people
    const [customer, admin] = callers.map(({ accessToken }) => accessToken)
    const rule = OPERATIONS[operation.operationId]
    const answer = await call(operation, customer)
    assert.notEqual(answer.body?.code, 'not_found', operation.operationId)
    const isRefused = isUnavailable(answer)
    const what = `${operation.operationId}: ${answer.status} ${answer.text}`
    assert.equal(isRefused, rule === 'refused' || (rule === 'files' && answer.status !== 403), what)
    if (isRefused) assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/, what)
    if (rule === 'staff') assert.equal(answer.status, 403, what)

    const fromStaff = await call(operation, admin)
    const isRefusedForStaff = rule === 'files' || (operation.isAnonymous && rule === 'refused')
    assert.equal(isUnavailable(fromStaff), isRefusedForStaff, `${operation.operationId}: ${fromStaff.text}`)
  }
  const anonymous = { email: 'ada@platen.test', password: 'a quiet lake at dusk' }
  assert.ok(isUnavailable(await service.request('POST', '/api/auth/register', { body: anonymous })))
  assert.equal((await service.request('POST', '/api/auth/login', { body: anonymous })).status, 401)
})

// Without this limit, customers could fill the disk by cancelling orders and archiving designs of a megabyte each.
test('when half of the minimum is used up, customers add no events with orders and designs either', async (t) => {
  const { service, call, fill } = await startOnDisk(t)
  const { accessToken: customer } = await service.signUp()
  const { accessToken: operator } = await service.signUp({ role: 'operator' })
  await fill(2 ** 29 - 1)
  const operations = await listOperations(CHANGING_METHODS)
  for (const operation of operations.filter(({ operationId }) => OPERATIONS[operationId] === 'to_half')) {
    assert.ok(isUnavailable(await call(operation, customer)), operation.operationId)
    assert.equal(isUnavailable(await call(operation, operator)), operation.isAnonymous, operation.operationId)
  }
  const refresh = { refreshToken: 'unknown' }
  assert.equal((await service.request('POST', '/api/auth/refresh', { body: refresh })).status, 401)
  const credentials = { email: 'ada@platen.test', password: 'a quiet lake at dusk' }
  const signIn = () => service.request('POST', '/api/auth/login', { body: credentials })
  assert.equal((await signIn()).status, 401)
  // Failed sign-ins of many networks could fill the rest.
  await fill(2 ** 28 - 1)
  assert.ok(isUnavailable(await signIn()))
  for (const operation of operations.filter(({ operationId }) => OPERATIONS[operationId] === 'to_quarter')) {
    assert.ok(isUnavailable(await call(operation)), operation.operationId)
    assert.equal(isUnavailable(await call(operation, operator)), operation.isAnonymous, operation.operationId)
  }
  const reads = await listOperations(['get'])
  for (const operation of reads.filter(({ operationId }) => WRITING_READS[operationId] === 'to_quarter'))
    assert.ok(isUnavailable(await call(operation)), operation.operationId)
  assert.equal((await service.request('POST', '/api/auth/refresh', { body: refresh })).status, 401)
  assert.equal((await service.request('GET', '/me', { token: customer })).status, 200)
})

async function countRows({ db }: TestService): Promise<Record<string, number>> {
  const { rows: tables } = await sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'
    order by 1`.execute(db)
  const counts = tables.map(({ name }) => sql`select ${name} as name, count(*)::int as rows from ${sql.table(name)}`)
  const { rows } = await sql<{ name: string; rows: number }>`${sql.join(counts, sql` union all `)}`.execute(db)
  return Object.fromEntries(rows.map((table) => [table.name, table.rows]))
}

/**
 * Starts a shop in which a customer has one record of each kind. Returns the ids of the records by the names of path
 * parameters.
 */
async function startWithRecords(t: TestContext) {
  const { env: google } = await startGoogle(t)
  const { env: github } = await startGithub(t)
  const disk: FileSystemState = { freeBytes: 2 ** 40, totalBytes: 2 ** 41 }
  const shop = await startShop(t, undefined, {
    env: { ...google, ...github, PLATEN_STORAGE_FREE_MIB: '1024', PLATEN_WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8' },
    overrides: { readFileSystem: async () => ({ ...disk }) },
  })
  const { service, request } = shop
  const { userId, token } = await shop.signUp()
  const add = async (path: string, body: unknown, headers: Record<string, string> = {}) => {
    const answer = await request('POST', path, { token, body, headers })
    assert.ok([201, 202].includes(answer.status), `${path}: ${answer.text}`)
    return answer.body
  }
  const designId = await shop.finalizedDesign({ ownerId: userId })
  const basket = { items: [{ designId, quantity: 1 }], shippingAddress: ADDRESS }
  const quote = await add('/quotes', basket)
  const order = await add('/orders', basket)
  const asset = (await upload(service, token, await makePng())).body
  const font = await add('/fonts', await makeFont(), { 'content-type': 'font/ttf' })
  const endpoint = await add('/webhook-endpoints', { url: 'http://127.0.0.1:9/' })
  const delivery = await add(`/webhook-endpoints/${endpoint.id}/test`, {})
  const admin = (await shop.signUp('admin')).token
  const picture = (await upload(service, admin, await makePng())).body
  const images = [{ assetId: picture.id, alt: '' }]
  const product = (await request('POST', '/products', { token: admin, body: { ...CARD, images } })).body
  const made = { productId: product.id, variantId: product.variants[0].id }
  const draft = (await request('POST', '/designs', { token: admin, body: made })).body
  const published = { designId: draft.id, name: 'Empty' }
  const template = (await request('POST', '/templates', { token: admin, body: published })).body
  const [{ fileUrl, subsets, styles }] = (await request('GET', '/fonts/files', { token })).body.data
  const [release, fontFile] = fileUrl
    .replace('{subset}', subsets[0].name)
    .replace('{weight}', styles[0].weight)
    .replace('{style}', styles[0].style)
    .split('/')
    .slice(-2)
  const [method] = (await request('GET', '/shipping-methods', { token })).body.data
  const { logo } = (await request('PATCH', '/shop-settings', { token: admin, body: { logoAssetId: picture.id } })).body
  const key = await add('/api/api-keys', { name: 'test', permissions: ['read'] })
  await untilEventsVisible(service.db)
  const events = (await service.request('GET', '/events?limit=1', { token })).body.data
  const ids: Record<string, string> = {
    productId: product.id,
    imageId: product.images[0].id,
    templateId: template.id,
    kind: 'order_paid',
    logoId: logo.url.split('/').at(-1),
    release,
    file: fontFile,
    methodId: method.id,
    assetId: asset.id,
    fontId: font.id,
    designId,
    fileId: 'print',
    revision: '1',
    quoteId: quote.id,
    orderId: order.id,
    itemId: order.items[0].id,
    endpointId: endpoint.id,
    deliveryId: delivery.id,
    eventId: events[0].id,
    keyId: key.id,
  }
  return { service, token, ids, disk }
}

/** Queries of operations that need one. */
const QUERIES: Readonly<Record<string, string>> = {
  previewMail: '?language=de',
  previewShopColors: '?accentColor=%23ffe600',
}

/** Sends a GET request and returns the response. Does not wait for the end of an event stream. */
async function read(service: TestService, path: string, token: string): Promise<Pick<TestResponse, 'status' | 'text'>> {
  if (path !== '/events/stream') return service.request('GET', path, { token })
  const response = await fetch(`${service.baseUrl}${path}`, { headers: { authorization: `Bearer ${token}` } })
  await response.body?.cancel()
  return { status: response.status, text: '' }
}

/** Prepares a sign-in with a provider up to its callback. Returns a function that calls the callback URL. */
async function beginSignIn(service: TestService, provider: string) {
  const browser = newBrowser(service)
  const started = await browser.open(`/api/auth/${provider}`)
  const callback = await browser.visit(started.headers.get('location') ?? '')
  return () => browser.returnTo(callback)
}

test('a GET that adds rows declares whether it works on a nearly full disk, and every other GET adds no rows', async (t) => {
  const { service, token, ids, disk } = await startWithRecords(t)
  const operations = await listOperations(['get'])
  for (const isFull of [false, true]) {
    if (isFull) disk.freeBytes = 2 ** 29
    // The service caches the amount of free space for a second.
    await pause(1_100)
    for (const { path, operationId } of operations) {
      const url = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => ids[name] ?? 'nothing')
      const [, provider] = /^\/api\/auth\/(\w+)\/callback$/.exec(path) ?? []
      const call =
        provider === undefined
          ? () => read(service, `${url}${QUERIES[operationId] ?? ''}`, token)
          : await beginSignIn(service, provider)
      const before = await countRows(service)
      const { status, text } = await call()
      const rule = WRITING_READS[operationId]
      const isRefused = isFull && rule === 'refused'
      assert.ok(
        isRefused ? status === 503 : [200, 302, 403].includes(status),
        `${operationId}: ${status} ${text.slice(0, 300)}`,
      )
      const isAdding = !isDeepStrictEqual(await countRows(service), before)
      assert.equal(isAdding, rule !== undefined && !isRefused, `${operationId} adds rows`)
    }
  }
})
