import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import type { FileSystemState } from '../src/platform/storage/index.ts'
import { STRIPE_KEY, STRIPE_WEBHOOK_SECRET } from './fakes/stripe.ts'
import { type Answer, startService } from './harness.ts'

/**
 * How every operation that changes something behaves while too little disk space is free. `works`: for all callers.
 * `refused`: for customers and anonymous callers. `staff`: it works for operators and administrators, who alone may
 * call it. `files`: refused for all, because it writes files.
 */
const OPERATIONS: Readonly<Record<string, 'works' | 'refused' | 'staff' | 'files'>> = {
  // Products and the shop's settings.
  createProduct: 'staff',
  changeProduct: 'staff',
  archiveProduct: 'staff',
  createShippingMethod: 'staff',
  changeShippingMethod: 'staff',
  deleteShippingMethod: 'staff',
  replaceTaxSettings: 'staff',
  uploadColorProfile: 'files',
  deleteColorProfile: 'staff',
  // Assets, fonts and designs.
  uploadAsset: 'files',
  deleteAsset: 'works',
  uploadFont: 'files',
  deleteFont: 'works',
  createDesign: 'refused',
  changeDesign: 'refused',
  duplicateDesign: 'refused',
  archiveDesign: 'works',
  preflightDesign: 'works',
  finalizeDesign: 'refused',
  // Orders.
  createQuote: 'refused',
  createOrder: 'refused',
  payOrder: 'works',
  cancelOrder: 'works',
  resolveHold: 'refused',
  receiveStripeEvent: 'works',
  recordPayment: 'staff',
  refundOrder: 'staff',
  holdOrder: 'staff',
  releaseOrder: 'staff',
  startProduction: 'staff',
  shipOrder: 'staff',
  deliverShipment: 'staff',
  returnShipment: 'staff',
  retryOrderItemFiles: 'staff',
  // Webhooks.
  createWebhookEndpoint: 'refused',
  updateWebhookEndpoint: 'refused',
  rotateWebhookSecret: 'refused',
  deleteWebhookEndpoint: 'works',
  retryWebhookDelivery: 'refused',
  replayWebhookEvents: 'refused',
  testWebhookEndpoint: 'refused',
  // Sign-in and sign-out, and what secures a compromised account.
  login: 'works',
  refresh: 'works',
  challengeSecondFactor: 'works',
  verifySecondFactor: 'works',
  offerPasskeySignIn: 'works',
  signInWithPasskey: 'works',
  redeemCode: 'works',
  stepUp: 'works',
  challengeStepUp: 'works',
  stepUpWithIdentity: 'works',
  forgotPassword: 'works',
  resetPassword: 'works',
  changePassword: 'works',
  revokeSession: 'works',
  revokeOtherSessions: 'works',
  logout: 'works',
  revokeApiKey: 'works',
  reportLeakedKeys: 'works',
  // The rest of accounts.
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
  removePasskey: 'works',
  linkIdentity: 'refused',
  unlinkIdentity: 'works',
  createApiKey: 'refused',
  rotateApiKey: 'refused',
  updateMe: 'refused',
  deleteMe: 'works',
  updateUser: 'staff',
}

interface Operation {
  method: string
  path: string
  operationId: string
}

/** Lists every operation of the committed document except `GET`. */
async function listChanging(): Promise<Operation[]> {
  const { paths } = JSON.parse(await readFile(join(import.meta.dirname, '../openapi.json'), 'utf8'))
  return Object.entries(paths as Record<string, Record<string, { operationId: string }>>).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([method]) => ['post', 'put', 'patch', 'delete'].includes(method))
      .map(([method, { operationId }]) => ({ method: method.toUpperCase(), path, operationId })),
  )
}

/** These URLs are never called. Without the settings, the service has no route for Stripe's events. */
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
  /** Calls an operation without a body, with unknown ids. */
  const call = ({ method, path }: Operation, token?: string): Promise<Answer> =>
    service.request(method, path.replaceAll(/\{\w+\}/g, 'nothing'), {
      ...(token === undefined ? {} : { token }),
    })
  const fill = async (): Promise<void> => {
    disk.freeBytes = 2 ** 29
    // The service caches the free space for a second.
    await pause(1_100)
  }
  return { service, call, fill }
}

const isUnavailable = ({ status, body }: Answer): boolean => status === 503 && body?.code === 'storage_unavailable'

test('each operation that changes something declares whether it works on a nearly full disk', async () => {
  const operationIds = (await listChanging()).map(({ operationId }) => operationId)
  assert.deepEqual(Object.keys(OPERATIONS).toSorted(), operationIds.toSorted())
})

test('on a nearly full disk, customers add nothing, but can sign in, pay, cancel and delete', async (t) => {
  const { service, call, fill } = await startOnDisk(t)
  const operations = await listChanging()
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
    assert.equal(isUnavailable(fromStaff), rule === 'files', `${operation.operationId}: ${fromStaff.text}`)
  }
  const anonymous = { email: 'ada@platen.test', password: 'a quiet lake at dusk' }
  assert.ok(isUnavailable(await service.request('POST', '/api/auth/register', { body: anonymous })))
  assert.equal((await service.request('POST', '/api/auth/login', { body: anonymous })).status, 401)
})
