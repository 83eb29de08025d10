import { createHash } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { sql } from 'kysely'
import sharp from 'sharp'
import { createDatabase, type StartOptions, sharedChecker, sharedRenderer, startService } from '../../test/harness.ts'
import { newId } from '../../test/ids.ts'
import { until } from '../../test/lib/until.ts'
import { type Asset, insertAssetOnce } from '../assets/store.ts'
import { openSigningKeys } from '../auth/keys/signing-keys.ts'
import { signStatement } from '../auth/keys/statements.ts'
import type { DesignDocumentInput, LayerInput } from '../drawing/index.ts'
import { createShiftableClock } from '../platform/clock.ts'
import { type Db, openDatabase, type Trx } from '../platform/db/index.ts'
import { createStorage, createStorageQuota, openFileStore, UNBOUNDED } from '../platform/storage/index.ts'
import { createLog } from '../platform/telemetry/log.ts'
import { createProduct } from '../products/change-product.ts'
import type { NewProductBody, Product } from '../products/schemas.ts'
import { installedFamilies, type Renderer } from '../rendering/index.ts'
import { readDocument } from './checking/submitted-document.ts'
import { withChecks } from './checking/with-checks.ts'
import type { FinalizeDeps, FinalizeRequest } from './finalization/begin-finalization.ts'
import { type Orderability, requireOrderables } from './finalization/orderable.ts'
import { archiveDesign, changeDesign, createDesign, type SaveDeps } from './save-design.ts'
import { type Design, readDesign } from './store.ts'

const log = createLog({ level: 'silent' })
const families = installedFamilies()

/** Wraps the real renderer so that a test can make it wait before it renders. */
function controlledRenderer() {
  const real = sharedRenderer()
  let gate: { entered: PromiseWithResolvers<void>; open: PromiseWithResolvers<void> } | undefined
  let count = 0
  const print: Renderer['print'] = async (job, outDir, options) => {
    count += 1
    const held = gate
    held?.entered.resolve()
    await held?.open.promise
    return real.print(job, outDir, options)
  }
  return {
    print,
    preview: real.preview,
    printCount: () => count,
    /** Lets new renderings start at once. Renderings that wait already continue to wait. */
    pass: () => {
      gate = undefined
    },
    /**
     * Makes the next renderings wait. The result tells when the first one has arrived, and lets it continue or fail.
     */
    hold: () => {
      const entered = Promise.withResolvers<void>()
      const open = Promise.withResolvers<void>()
      // A test that never releases a rendering must not fail with an unhandled rejection.
      open.promise.catch(() => undefined)
      gate = { entered, open }
      return {
        entered: entered.promise,
        letGo: (error?: Error) => {
          gate = undefined
          if (error === undefined) open.resolve()
          else open.reject(error)
        },
      }
    },
  }
}

export type Workshop = Awaited<ReturnType<typeof openWorkshop>>

/**
 * Opens everything that designs need, with a database and a folder of its own but without HTTP, until the test ends.
 */
export async function openWorkshop(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'platen-designs-'))
  const database = openDatabase(await createDatabase(t), log)
  // Registered after `createDatabase`, so that it runs before the database is dropped.
  t.after(async () => {
    await database.close()
    await rm(dir, { recursive: true, force: true })
  })
  const clock = createShiftableClock()
  const keys = await openSigningKeys(
    { db: database.db, clock, accessSeconds: 900, revocations: undefined },
    { dataDir: dir },
  )
  const controlled = controlledRenderer()
  const quota = createStorageQuota({ db: database.db, log, quotaBytes: undefined, charges: [] })
  t.after(() => quota.close())
  const deps = {
    database,
    clock,
    log,
    families,
    quota: { unpaid: quota.unpaid },
    checker: sharedChecker(),
    storage: createStorage({ store: await openFileStore(join(dir, 'storage')), db: database.db, log }),
    renderer: controlled,
    signStatement: (claims: object, header: { typ: string }) => signStatement(keys, claims, header),
    refreshSigningKeys: keys.refresh,
    config: { origin: 'https://print.example' },
  } satisfies FinalizeDeps
  const inTransaction = <T>(work: (trx: Trx) => Promise<T>): Promise<T> => database.db.transaction().execute(work)
  const inTransactionWithChecks = <T>(work: (trx: Trx, deps: SaveDeps) => Promise<T>): Promise<T> =>
    withChecks(
      deps,
      async () => undefined,
      (checks) => inTransaction((trx) => work(trx, { ...checks, quota })),
    )
  return {
    deps,
    clock,
    quota,
    db: database.db,
    renderer: controlled,
    jwks: () => keys.jwks(),
    inTransaction,
    inTransactionWithChecks,
    addProduct: (changes: Partial<NewProductBody> = {}) =>
      inTransaction((trx) => createProduct(trx, { ...CARD, ...changes }, clock.now())),
    addAsset: (ownerId: string, picture?: Buffer) => addAsset(deps, ownerId, picture),
    addDesign: async (product: Product, ownerId: string, given: DesignDocumentInput) => {
      const document = await readDocument(deps, ownerId, given)
      return inTransactionWithChecks((trx, checks) => {
        const input = { productId: product.id, variantId: product.variants[0]?.id ?? '' }
        return createDesign(trx, checks, { ownerId, input, document, now: clock.now() })
      })
    },
    untilBlocked: (count = 1) => untilBlocked(database.db, count),
    read: async (design: Design): Promise<Design> => {
      const found = await readDesign(database.pool, design)
      if (found === undefined) throw new Error('the design does not exist')
      return found
    },
  }
}

export const CARD: NewProductBody = {
  name: 'Business card',
  currency: 'EUR',
  printAreas: [
    {
      id: 'front',
      name: 'Front',
      widthMm: 85,
      heightMm: 55,
      bleedMm: 3,
      safeMarginMm: 3,
      targetDpi: 300,
      required: true,
    },
    {
      id: 'back',
      name: 'Back',
      widthMm: 85,
      heightMm: 55,
      bleedMm: 3,
      safeMarginMm: 3,
      targetDpi: 300,
      required: false,
    },
  ],
  variants: [
    {
      sku: 'CARD',
      options: {},
      weightGrams: 2,
      priceTiers: [
        { minQuantity: 1, unitAmount: 60 },
        { minQuantity: 100, unitAmount: 22 },
      ],
    },
  ],
}

export function textLayer(text: string, changes: Partial<LayerInput & { type: 'text' }> = {}): LayerInput {
  return {
    id: 'greeting',
    type: 'text',
    x: 10,
    y: 10,
    width: 60,
    height: 20,
    text,
    fontFamily: 'Inter',
    fontSizePt: 14,
    ...changes,
  }
}

export function imageLayer(assetId: string): LayerInput {
  return { id: 'photo', type: 'image', x: 40, y: 20, width: 20, height: 20, assetId, fit: 'stretch' }
}

/** Creates a document that places these layers on one print area. */
export function documentOf(layers: LayerInput[], printAreaId = 'front'): DesignDocumentInput {
  return { version: 1, placements: [{ printAreaId, layers }] }
}

/** Creates a request by the owner to finalize a design, whatever its version. */
export function requestOf(design: Pick<Design, 'id' | 'ownerId'>): FinalizeRequest {
  const { id, ownerId } = design
  return {
    key: { id, ownerId },
    requester: { userId: ownerId, authenticationMethods: ['pwd'], authenticatedAt: 1_790_000_000 },
    requireVersion: () => undefined,
    unpaid: UNBOUNDED,
  }
}

/** Creates an image that is large enough to be printed 20 mm wide. */
export function makePicture(background = '#336699'): Promise<Buffer> {
  return sharp({ create: { width: 300, height: 300, channels: 3, background } })
    .jpeg()
    .toBuffer()
}

async function addAsset(deps: FinalizeDeps, ownerId: string, picture?: Buffer): Promise<Asset> {
  const bytes = picture ?? (await makePicture())
  const sha256 = createHash('sha256').update(bytes).digest('hex')
  const path = join(await deps.storage.createWorkDir(), 'picture')
  await writeFile(path, bytes)
  await deps.storage.store({ path, sha256 })
  const asset: Asset = {
    id: newId('asset'),
    ownerId,
    sha256,
    bytes: bytes.length,
    mediaType: 'image/jpeg',
    widthPx: 300,
    heightPx: 300,
    hasAlpha: false,
    colorSpace: 'srgb',
    orientation: 1,
    createdAt: deps.clock.now(),
  }
  const inserted = await deps.database.db.transaction().execute((trx) => insertAssetOnce(trx, asset))
  return inserted.asset
}

/** Waits until this number of connections wait for a lock, which guarantees that the transactions overlap. */
async function untilBlocked(db: Db, count: number): Promise<void> {
  await until(`${count} connections that wait for a lock`, async () => {
    const { rows } = await sql<{ waiting: number }>`select count(*)::int as waiting from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(db)
    return (rows[0]?.waiting ?? 0) >= count
  })
}

/** Opens a workshop (`openWorkshop`) with a design that has an image and a text. */
export async function openWithDesign(t: TestContext, { text = 'Hello {{name}}' } = {}) {
  const shop = await openWorkshop(t)
  const ownerId = newId('user')
  const product = await shop.addProduct()
  const asset = await shop.addAsset(ownerId)
  const design = await shop.addDesign(product, ownerId, documentOf([imageLayer(asset.id), textLayer(text)]))
  return { ...shop, ownerId, product, asset, design }
}

/** Replaces the document of a design, as its owner. */
export async function replaceDocument(
  shop: Workshop,
  design: Design,
  input: DesignDocumentInput,
  afterwards: () => Promise<unknown> = async () => undefined,
): Promise<Design> {
  const { clock, deps } = shop
  const document = await readDocument(deps, design.ownerId, input)
  const change = { key: design, changes: {}, document, requireVersion: () => undefined, now: () => clock.now() }
  return shop.inTransactionWithChecks(async (trx, checks) => {
    const changed = await changeDesign(trx, checks, change)
    await afterwards()
    return changed
  })
}

/** Changes the name of a design, as its owner. */
export function rename(shop: Workshop, design: Design, name: string): Promise<Design> {
  const { clock, inTransactionWithChecks } = shop
  const change = { key: design, changes: { name }, requireVersion: () => undefined, now: () => clock.now() }
  return inTransactionWithChecks((trx, checks) => changeDesign(trx, checks, change))
}

export function archive({ clock, inTransaction }: Workshop, design: Design): Promise<void> {
  const archival = { key: design, requireVersion: () => undefined, now: () => clock.now() }
  return inTransaction((trx) => archiveDesign(trx, archival))
}

export async function countFinalizations({ db }: Workshop): Promise<number> {
  return (await db.selectFrom('finalizations').select('id').execute()).length
}

/** Starts the whole service with a signed-in customer and a product. */
export async function startSignedIn(t: TestContext, options: StartOptions = {}) {
  const service = await startService(t, options)
  const { accessToken: token, userId, email, password } = await service.signUp()
  const product = await service.db.transaction().execute((trx) => createProduct(trx, CARD, service.clock.now()))
  const variantId = product.variants[0]?.id ?? ''
  const create = async (members: object = {}, headers: Record<string, string> = {}) => {
    const body = { productId: product.id, variantId, ...members }
    return service.request('POST', '/designs', { token, body, headers })
  }
  /** Signs in again after the clock was moved past the end of the first token. */
  const signInAgain = async (): Promise<string> =>
    (await service.request('POST', '/api/auth/login', { body: { email, password } })).body.accessToken
  return { service, token, userId, email, signInAgain, product, variantId, create }
}

export const HELLO = documentOf([textLayer('Hello {{name}}')])

/** Returns whether one design can be ordered, as `requireOrderables` does for several. */
export async function requireOrderable(
  trx: Trx,
  { designId, ...buyer }: { designId: string; ownerId: string; now: Date },
): Promise<Orderability> {
  const answer = (await requireOrderables(trx, { designIds: [designId], ...buyer })).get(designId)
  if (answer === undefined) throw new Error(`no result for ${designId}`)
  return answer
}
