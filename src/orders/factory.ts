import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { type StartOptions, startService, type TestResponse, type TestService } from '../../test/harness.ts'
import { newId } from '../../test/ids.ts'
import { insertFinalization, insertPriceLock } from '../designs/finalization/store.ts'
import { insertDesign, setDesignStatus } from '../designs/store.ts'
import { type DesignDocumentInput, type LayerInput, normalizeDocument } from '../drawing/index.ts'
import { addSeconds } from '../platform/clock.ts'
import type { Db } from '../platform/db/index.ts'
import type { Role } from '../platform/http/core/principal.ts'
import type { Storage } from '../platform/storage/index.ts'
import type { PriceTiers } from '../products/index.ts'
import type { OrderDeps } from './index.ts'

export const ADDRESS = {
  name: 'Ada Lovelace',
  line1: 'Chausseestraße 125',
  city: 'Berlin',
  postalCode: '10115',
  country: 'DE',
}

const TIERS: PriceTiers = [
  { minQuantity: 1, unitAmount: 250 },
  { minQuantity: 100, unitAmount: 120 },
]

export interface NewFinalizedDesign {
  ownerId: string
  placeholders?: string[]
  priceTiers?: PriceTiers
  currency?: string
}

export interface Person {
  userId: string
  token: string
}

/** A service, and the steps that tests of orders share. */
export interface Shop {
  service: TestService
  /** A connection pool of the test, separate from the one of the service. */
  db: Db
  /** Dependencies of the order routes and jobs, as the service creates them. */
  deps: OrderDeps
  request: TestService['request']
  signUp(role?: Role): Promise<Person>
  /** Signs up a user with an API key, which does not expire when a test moves the clock. */
  signUpKey(role: Role, permissions: string[]): Promise<Person>
  finalizedDesign(options: NewFinalizedDesign): Promise<string>
  /** Orders some pieces of a new design, as the given user or as a new one. */
  order(options?: { person?: Person; quantity?: number }): Promise<Person & { order: TestResponse['body'] }>
}

/**
 * Starts a service for tests of orders.
 *
 * @param provider replaces the `test` provider; null: customers cannot pay online
 * @param options of the service
 */
export async function startShop(
  t: TestContext,
  provider?: OrderDeps['provider'] | null,
  options: StartOptions = {},
): Promise<Shop> {
  const env = { PLATEN_PAYMENT_PROVIDER: provider === null ? 'manual' : 'test', ...options.env }
  const service = await startService(t, { ...options, env })
  const { db, clock, request } = service
  const deps = service.services.orders
  if (provider) deps.provider = provider

  const signUp: Shop['signUp'] = async (role = 'customer') => {
    const { userId, accessToken } = await service.signUp({ role })
    return { userId, token: accessToken }
  }
  const finalizedDesign: Shop['finalizedDesign'] = (options) =>
    insertFinalizedDesign(db, deps.storage, clock.now(), options)
  return {
    service,
    db,
    deps,
    request,
    signUp,
    signUpKey: async (role, permissions) => {
      const { userId, token } = await signUp(role)
      const { body } = await request('POST', '/api/api-keys', { token, body: { name: 'test', permissions } })
      return { userId, token: body.key }
    },
    finalizedDesign,
    order: async ({ person, quantity = 2 } = {}) => {
      const { token, userId } = person ?? (await signUp())
      const designId = await finalizedDesign({ ownerId: userId })
      const body = { items: [{ designId, quantity }], shippingAddress: ADDRESS }
      const answer = await request('POST', '/orders', { token, body })
      if (answer.status !== 201) throw new Error(answer.text)
      return { token, userId, order: answer.body }
    },
  }
}

/** Inserts a finalized design without rendering it. */
async function insertFinalizedDesign(
  db: Db,
  storage: Storage,
  now: Date,
  { ownerId, placeholders = [], priceTiers = TIERS, currency = 'EUR' }: NewFinalizedDesign,
): Promise<string> {
  const id = newId('design')
  const finalizationId = newId('finalization')
  const variantId = newId('variant')
  const productId = newId('product')
  const sha256 = await storePrintFile(storage)
  await db.transaction().execute(async (trx) => {
    const documentJson = JSON.stringify(normalizeDocument(documentWith(placeholders)))
    const texts = { documentJson, preflightJson: '{}', metadataJson: '{}', externalReference: null, templateId: null }
    await insertDesign(trx, { id, ownerId, name: 'Card', productId, variantId, ...texts, createdAt: now })
    await insertFinalization(trx, {
      id: finalizationId,
      designId: id,
      revision: 1,
      contentHash: sha256,
      productId,
      variantId,
      weightGrams: 5,
      printAreasJson: JSON.stringify([PRINT_AREA]),
      files: [{ id: 'print', kind: 'print', mediaType: 'application/pdf', bytes: PRINT_FILE.length, sha256 }],
      warningsJson: '[]',
      placeholders,
      finalizedAt: now,
    })
    const validUntil = addSeconds(now, 30 * 24 * 3600)
    const lock = { finalizationId, number: 1, priceTiers, currency, validUntil, receipt: 'a.b.c', lockedAt: now }
    await insertPriceLock(trx, lock)
    await setDesignStatus(trx, { id, status: 'finalized', updatedAt: now })
  })
  return id
}

const PRINT_AREA = {
  id: 'front',
  name: 'Front',
  widthMm: 85,
  heightMm: 55,
  bleedMm: 3,
  safeMarginMm: 3,
  targetDpi: 300,
  required: true,
}

/** Creates a document with a text for each placeholder. */
function documentWith(placeholders: readonly string[]): DesignDocumentInput {
  const layers = placeholders.map(
    (name, index): LayerInput => ({
      id: `text-${index}`,
      type: 'text',
      x: 5,
      y: 5 + 10 * index,
      width: 70,
      height: 8,
      text: `{{${name}}}`,
      fontFamily: 'Inter',
      fontSizePt: 12,
    }),
  )
  return { version: 1, placements: [{ printAreaId: 'front', layers }] }
}

export const PRINT_FILE = Buffer.from('%PDF-1.7 print me')

async function storePrintFile(storage: Storage): Promise<string> {
  const path = join(await storage.createWorkDir(), 'print.pdf')
  await writeFile(path, PRINT_FILE)
  const sha256 = createHash('sha256').update(PRINT_FILE).digest('hex')
  await storage.store({ path, sha256 })
  return sha256
}
