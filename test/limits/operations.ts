import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { sql } from 'kysely'
import sharp from 'sharp'
import { PRESET_SETTINGS } from '../../src/auth/oauth/provider-settings.ts'
import type { Db } from '../../src/platform/db/index.ts'
import { enqueue } from '../../src/platform/jobs/jobs.ts'
import { SRGB_PROFILE } from '../../src/rendering/color/srgb.ts'
import { storeEntries } from '../../src/request-log/store.ts'
import { newId } from '../ids.ts'
import { imagesDocument, LARGE_DOCUMENTS, largeMetadata, PLAIN_DOCUMENT } from './documents.ts'
import { largeLogo, lockedDocument, productWithImage, publishLarge } from './templates.ts'
import {
  ADDRESS,
  type LargeOrder,
  type LimitPerson,
  largeProduct,
  largeValues,
  type OrderState,
  placeholdersDesign,
  type World,
} from './world.ts'

/** A request with the largest input of an operation. */
export interface LargeRequest {
  /** The access token; undefined for an anonymous request. */
  token?: string
  params?: Record<string, string>
  query?: string
  json?: unknown
  bytes?: Uint8Array<ArrayBuffer>
  headers?: Record<string, string>
  /** The statuses that show that the service processed the input. Defaults to 200 to 399. */
  statuses?: number[]
  /** Whether the response never ends. The client then disconnects after its start. */
  endless?: boolean
  /** How many such requests are sent at the same time. Defaults to 1. */
  copies?: number
}

/** Makes a new request for each measurement. The time for making the request is not measured. */
export type MakeRequest = (world: World) => Promise<LargeRequest> | LargeRequest

const LONG_TEXT = 'ä'.repeat(1_000)
const PAGE = 'limit=100'
/** The number of characters that fills a request body, for members without a limit of their own. */
const MEBIBYTE = 1_000_000

/** A password that fills the body of an anonymous caller. */
const LONGEST_PASSWORD = 'aB3-'.repeat(8_000)

const unknownMembers = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`member${n}`, n]))

/** Filters that no record fulfils, so that each record is compared. */
const metadataFilters = () =>
  Array.from({ length: 10 }, (_, n) => `metadata[${'k'.repeat(60)}${n}]=${'v'.repeat(500)}`).join('&')

/** Moves the document to and fro, and compares it. */
const largePatch = () => [
  ...Array.from({ length: 49 }, () => [
    { op: 'move', from: '/document', path: '/metadata/document' },
    { op: 'move', from: '/metadata/document', path: '/document' },
  ]).flat(),
  { op: 'test', path: '/document/version', value: 1 },
  { op: 'replace', path: '/document/placements/0/layers/0/x', value: 1 },
]

const asCustomer =
  (request: (world: World) => LargeRequest = () => ({})): MakeRequest =>
  (world) => ({ token: world.customer.token, ...request(world) })
const asOperator =
  (request: (world: World) => LargeRequest = () => ({})): MakeRequest =>
  (world) => ({ token: world.operator.token, ...request(world) })
const asAdmin =
  (request: (world: World) => LargeRequest = () => ({})): MakeRequest =>
  (world) => ({ token: world.admin.token, ...request(world) })

/** Sends the request as a new account, because the operation changes the account. */
const asSomebody =
  (request: (person: LimitPerson, world: World) => Promise<LargeRequest> | LargeRequest = () => ({})): MakeRequest =>
  async (world) => {
    const person = await world.person()
    return { token: person.token, ...(await request(person, world)) }
  }

/** Sends the request for an order of 100 items in the given state. */
const onOrder =
  (
    role: 'customer' | 'operator',
    state: OrderState,
    request: (order: LargeOrder) => LargeRequest = () => ({}),
  ): MakeRequest =>
  async (world) => {
    const order = await world.order(state)
    const { params, ...rest } = request(order)
    return { token: world[role].token, params: { orderId: order.id, ...params }, ...rest }
  }

/**
 * Makes a request that is valid against its schema but violates a rule, because success would require a mail, a device
 * or another service.
 */
const refused = (statuses: number[], json: unknown, token?: (world: World) => string): MakeRequest => {
  return (world) => ({ statuses, json, ...(token === undefined ? {} : { token: token(world) }) })
}

/** Sends the request when 200 orders are in no open batch. The function can create a batch first. */
const onFreeOrders =
  (
    request: (
      orderIds: string[],
      create: (orderIds: string[]) => Promise<string>,
      world: World,
    ) => Promise<LargeRequest>,
  ): MakeRequest =>
  async (world) => {
    const { json, operator, printable } = world
    const post = (path: string, body: object) => json('POST', `/production/batches${path}`, operator.token, body)
    const { data } = await json('GET', '/production/batches?status=open&limit=100', operator.token)
    for (const { id } of data) await post(`/${id}/close`, {})
    const create = async (orderIds: string[]) => (await post('', { orderIds })).id as string
    return { token: operator.token, ...(await request(await printable(), create, world)) }
  }

/** Stores a job whose attempts are used up. Returns its id. */
async function storeFailedJob(db: Db): Promise<string> {
  await enqueue(db, 'test.fail', {}, { maxAttempts: 1 })
  const { rows } = await sql<{ id: string }>`
    update graphile_worker._private_jobs set attempts = 1, last_error = ${LONG_TEXT}
    where id = (select max(id) from graphile_worker._private_jobs) returning id::text`.execute(db)
  return rows[0]?.id ?? ''
}

/** Stores a page of requests with the longest values. */
async function storeRequests({ admin, db }: World): Promise<LargeRequest> {
  const entries = Array.from({ length: 101 }, () => ({
    requestId: randomUUID(),
    endedAt: new Date(),
    method: 'DELETE',
    route: `/${'r'.repeat(199)}`,
    operation: 'o'.repeat(60),
    parameters: Array.from({ length: 20 }, (_, n) => `parameter${n}`),
    status: 500,
    problem: 'internal_error',
    durationMs: 1_000_000,
    caller: 'session' as const,
    userId: admin.id,
    actorId: admin.id,
    credentialId: 'c'.repeat(64),
    network: '2001:db8:ffff:ffff::/64',
  }))
  await storeEntries(db, new Date().toISOString().slice(0, 10), entries)
  return {
    token: admin.token,
    query: `${PAGE}&userId=${admin.id}`,
    params: { requestId: entries[0]?.requestId ?? '' },
  }
}

/** A file with as many lines as possible, each with the longest values. */
const largeShipmentFile = () => {
  const parcel = `"${'ü'.repeat(100)}","${'1'.repeat(100)}","https://example.com/${'u'.repeat(900)}"`
  const lines = Array.from({ length: 1_000 }, () => `${newId('order')},${parcel}`)
  return new TextEncoder().encode(['order,carrier,tracking number,tracking url', ...lines].join('\r\n'))
}

/** Follows a new link to a record of the customer. */
const linked =
  (list: string, idOf: (world: World) => string, body: object): MakeRequest =>
  async (world) => {
    const id = idOf(world)
    const { url } = await world.json('POST', `${list}/${id}/links`, world.customer.token, body)
    const { pathname, search } = new URL(url)
    const [, , , , , fileId = ''] = pathname.slice('/v1'.length).split('/')
    const params = list === '/assets' ? { assetId: id } : { designId: id, fileId }
    return { params, query: search.slice(1) }
  }

/** The largest content of a customer without an account. */
const largeCustomer = () => ({
  externalId: `${randomUUID()} ${'x'.repeat(160)}`,
  name: 'ü'.repeat(100),
  email: `${'a'.repeat(64)}@${'b'.repeat(60)}.example.com`,
  metadata: largeMetadata(),
})

/** Sends the request for a new customer. The function gets the id of another one. */
const onCustomer =
  (request: (otherId: string) => LargeRequest = () => ({})): MakeRequest =>
  async ({ operator, json }) => {
    const create = async () => (await json('POST', '/customers', operator.token, largeCustomer())).id as string
    const [customerId, otherId] = [await create(), await create()]
    return { token: operator.token, params: { customerId }, ...request(otherId) }
  }

const draftOf = (make: keyof typeof LARGE_DOCUMENTS): MakeRequest =>
  asCustomer(({ productId, variantId }) => ({
    json: { productId, variantId, document: LARGE_DOCUMENTS[make](), metadata: largeMetadata() },
    headers: { 'idempotency-key': randomUUID() },
  }))

const basket = (designId: string, data?: object) => ({
  items: Array.from({ length: 100 }, () => ({ designId, quantity: 1, ...(data === undefined ? {} : { data }) })),
  shippingAddress: { ...ADDRESS, name: 'ü'.repeat(200), line2: 'ü'.repeat(200), company: 'ü'.repeat(200) },
})

const zones = Array.from({ length: 20 }, (_, zone) => ({
  name: `Zone ${zone}`,
  countries: zone === 0 ? ['*'] : [['DE', 'FR', 'NL', 'AT', 'BE', 'IT', 'ES', 'PT', 'PL', 'SE'][zone % 10]],
  rates: Array.from({ length: 50 }, (_, rate) => ({
    ...(rate === 49 ? {} : { maxWeightGrams: 100 * (rate + 1) }),
    prices: [{ amount: rate, currency: 'EUR' }],
  })),
}))
const shippingMethod = () => ({
  name: 'Large',
  estimatedDays: { min: 1, max: 2 },
  zones: zones.slice(0, 11),
  active: false,
})

const credential = (response: Record<string, string>) => {
  const id = 'A'.repeat(1_364)
  return { id, rawId: id, type: 'public-key', response, clientExtensionResults: {} }
}
const assertion = credential({
  clientDataJSON: 'A'.repeat(4_096),
  authenticatorData: 'A'.repeat(1_024),
  signature: 'A'.repeat(1_024),
})
const attestation = credential({ clientDataJSON: 'A'.repeat(8_192), attestationObject: 'A'.repeat(8_192) })

const font = createRequire(import.meta.url).resolve('@fontsource/inter/files/inter-latin-400-normal.woff2')

async function largeImage(): Promise<Uint8Array<ArrayBuffer>> {
  const create = { width: 4_600, height: 4_600, channels: 3, background: '#336699' } as const
  return new Uint8Array(await sharp({ create }).tiff({ compression: 'none' }).toBuffer())
}

/** Returns the operations of a sign-in provider that is not configured. */
function providerOperations(title: string): [string, MakeRequest][] {
  const query = `code=${'A'.repeat(2_000)}&state=${'A'.repeat(200)}`
  return [
    [`signInWith${title}`, () => ({ statuses: [404] })],
    [`finish${title}`, () => ({ query, statuses: [400, 404] })],
  ]
}

/** Makes a file of variants with the most prices. */
function withPrices(header: readonly string[], lines: readonly (readonly (string | number)[])[]) {
  const quantities = Array.from({ length: 50 }, (_, n) => n + 1)
  const prices = quantities.map((quantity) => `${10_000 - quantity}.50`)
  const all = [[...header, ...quantities.map((n) => `price from ${n}`)], ...lines.map((line) => [...line, ...prices])]
  return {
    bytes: new TextEncoder().encode(all.map((fields) => fields.join()).join('\r\n')),
    headers: { 'content-type': 'text/csv', 'idempotency-key': randomUUID() },
  }
}

/** Every operation of the API by its id, with one or several of its largest inputs. */
export const OPERATIONS: Readonly<Record<string, MakeRequest | Readonly<Record<string, MakeRequest>>>> = {
  listProducts: {
    all: () => ({ query: PAGE }),
    'by words': () => ({ query: `${PAGE}&q=${encodeURIComponent('ü '.repeat(100))}` }),
  },
  createProduct: asAdmin(() => ({ json: largeProduct(500), headers: { 'idempotency-key': randomUUID() } })),
  getProduct: async ({ json, admin }) => ({
    params: { productId: (await json('POST', '/products', admin.token, largeProduct(500))).id },
  }),
  changeProduct: async ({ json, admin }) => ({
    token: admin.token,
    params: { productId: (await json('POST', '/products', admin.token, largeProduct(1))).id },
    json: { variants: largeProduct(500).variants },
  }),
  archiveProduct: async ({ json, admin }) => ({
    token: admin.token,
    params: { productId: (await json('POST', '/products', admin.token, largeProduct(500))).id },
  }),
  restoreProduct: async ({ json, admin }) => ({
    token: admin.token,
    params: { productId: (await json('POST', '/products', admin.token, largeProduct(500))).id },
  }),
  listProductChanges: async ({ json, admin }) => {
    const { id, variants } = await json('POST', '/products', admin.token, largeProduct(500))
    const heavier = (variants as { weightGrams: number; priceTiers: object[] }[]).map((variant) => ({
      ...variant,
      weightGrams: variant.weightGrams + 1,
      priceTiers: variant.priceTiers.slice(0, 1),
    }))
    await json('PATCH', `/products/${id}`, admin.token, { variants: heavier })
    return { token: admin.token, params: { productId: id }, query: PAGE }
  },
  listChangeRecords: async ({ json, admin }) => {
    await json('POST', '/products', admin.token, largeProduct(500))
    return { token: admin.token, query: `${PAGE}&subject=product` }
  },
  previewPrices: asAdmin(() => ({
    json: {
      currency: 'EUR',
      priceTiers: Array.from({ length: 50 }, (_, n) => ({ minQuantity: n + 1, unitAmount: 1_000_000_000 })),
      quantities: Array.from({ length: 50 }, (_, n) => 1_000_000 - n),
    },
  })),
  exportVariants: asAdmin(),
  importVariants: {
    changed: async ({ json, admin }) => {
      const { id, variants } = await json('POST', '/products', admin.token, largeProduct(500))
      const lines = (variants as { id: string }[]).map((variant) => [id, variant.id, 7, 'yes'])
      return { token: admin.token, ...withPrices(['product id', 'variant id', 'weight', 'available'], lines) }
    },
    added: ({ admin }) => {
      const name = randomUUID()
      const lines = largeProduct(500).variants.map(({ sku, options: { first, second } }) => {
        return [name, 'EUR', 100, 100, `"first: ${first}; second: ${second}"`, sku, 7]
      })
      const header = ['product', 'currency', 'width', 'height', 'options', 'sku', 'weight']
      return { token: admin.token, ...withPrices(header, lines) }
    },
  },
  getProductImage: async (world) => ({ params: await productWithImage(world), query: 'width=1280' }),
  listTemplates: async (world) => {
    await publishLarge(world)
    return { query: PAGE }
  },
  createTemplate: async (world) => {
    const { productId, variantId, admin, json } = world
    const input = { productId, variantId, document: lockedDocument() }
    const { id: designId } = await json('POST', '/designs', admin.token, input)
    const headers = { 'idempotency-key': randomUUID() }
    return { token: admin.token, json: { designId, name: 'ü'.repeat(200) }, headers }
  },
  getTemplate: async (world) => ({ params: { templateId: await publishLarge(world) } }),
  changeTemplate: async (world) => ({
    token: world.admin.token,
    params: { templateId: await publishLarge(world) },
    json: { name: 'ü'.repeat(200), categories: Array.from({ length: 20 }, (_, n) => `${n}${'ü'.repeat(48)}`) },
  }),
  archiveTemplate: async (world) => ({
    token: world.admin.token,
    params: { templateId: await publishLarge(world) },
  }),
  restoreTemplate: async (world) => ({
    token: world.admin.token,
    params: { templateId: await publishLarge(world) },
  }),
  previewTemplate: async (world) => ({ params: { templateId: await publishLarge(world) }, query: 'width=1280' }),
  listAssets: asCustomer(() => ({ query: PAGE })),
  uploadAsset: async ({ customer }) => ({
    token: customer.token,
    bytes: await largeImage(),
    headers: { 'content-type': 'image/tiff' },
  }),
  getAsset: asCustomer(({ assetId }) => ({ params: { assetId } })),
  deleteAsset: async ({ customer, base }) => {
    const bytes = new Uint8Array(
      await sharp({ create: { width: 300, height: 300, channels: 3, background: `#${randomUUID().slice(0, 6)}` } })
        .png()
        .toBuffer(),
    )
    const headers = { authorization: `Bearer ${customer.token}`, 'content-type': 'image/png' }
    const made = await fetch(`${base}/assets`, { method: 'POST', body: bytes, headers })
    return { token: customer.token, params: { assetId: ((await made.json()) as { id: string }).id } }
  },
  getAssetContent: asCustomer(({ assetId }) => ({ params: { assetId } })),
  getAssetThumbnail: asCustomer(({ assetId }) => ({ params: { assetId } })),
  createAssetLink: asCustomer(({ assetId }) => ({ params: { assetId }, json: { file: 'thumbnail' } })),
  getLinkedAssetContent: linked('/assets', ({ assetId }) => assetId, { file: 'content' }),
  getLinkedAssetThumbnail: linked('/assets', ({ assetId }) => assetId, { file: 'thumbnail' }),
  listColorProfiles: asAdmin(() => ({ query: PAGE })),
  uploadColorProfile: asAdmin(() => ({
    bytes: new Uint8Array(SRGB_PROFILE),
    headers: { 'content-type': 'application/vnd.iccprofile' },
    // The service may also reject the profile. Other tests check the requirements for printing conditions.
    statuses: [200, 201, 422],
  })),
  getColorProfile: asAdmin(() => ({ params: { colorProfileId: 'icc_none' }, statuses: [404] })),
  deleteColorProfile: asAdmin(() => ({ params: { colorProfileId: 'icc_none' }, statuses: [404] })),
  listUploadedFonts: asCustomer(() => ({ query: PAGE })),
  uploadFont: async ({ customer }) => ({
    token: customer.token,
    bytes: new Uint8Array(await readFile(font)),
    headers: { 'content-type': 'font/woff2' },
  }),
  getFont: asCustomer(() => ({ params: { fontId: 'fnt_none' }, statuses: [404] })),
  deleteFont: asCustomer(() => ({ params: { fontId: 'fnt_none' }, statuses: [404] })),
  getFontContent: asCustomer(() => ({ params: { fontId: 'fnt_none' }, statuses: [404] })),
  getDesign: asCustomer(({ largeDesignId }) => ({ params: { designId: largeDesignId } })),
  changeDesign: {
    paths: async ({ customer, draft }) => ({
      token: customer.token,
      params: { designId: await draft() },
      json: { document: LARGE_DOCUMENTS['paths of curves, dashed'](), metadata: largeMetadata() },
    }),
    texts: async ({ customer, draft }) => ({
      token: customer.token,
      params: { designId: await draft() },
      json: { document: LARGE_DOCUMENTS['text in 200 layers'](), metadata: largeMetadata() },
    }),
    'a patch of a large design': async ({ customer, draft }) => ({
      token: customer.token,
      params: { designId: await draft(LARGE_DOCUMENTS['paths of curves, dashed']()) },
      bytes: new TextEncoder().encode(JSON.stringify(largePatch())),
      headers: { 'content-type': 'application/json-patch+json' },
    }),
    'a design from a template': async (world) => {
      const { productId, variantId, customer, json } = world
      const input = { productId, variantId, templateId: await publishLarge(world) }
      const { id: designId } = await json('POST', '/designs', customer.token, input)
      return { token: customer.token, params: { designId }, json: { document: lockedDocument() } }
    },
    'the name of a large design': asCustomer(({ largeDesignId }) => ({
      params: { designId: largeDesignId },
      json: { name: randomUUID() },
    })),
  },
  applyDesignFixes: async ({ customer, draft }) => ({
    token: customer.token,
    params: { designId: await draft(LARGE_DOCUMENTS['text in 200 layers']()) },
    json: {},
  }),
  listDesignRevisions: asCustomer(({ largeDesignId }) => ({ params: { designId: largeDesignId }, query: PAGE })),
  getDesignRevision: asCustomer(({ largeDesignId }) => ({ params: { designId: largeDesignId, revision: '1' } })),
  restoreDesignRevision: async ({ customer, draft }) => ({
    token: customer.token,
    params: { designId: await draft(LARGE_DOCUMENTS['paths of curves, dashed']()), revision: '1' },
  }),
  archiveDesign: async ({ customer, draft }) => ({
    token: customer.token,
    params: { designId: await draft(LARGE_DOCUMENTS['paths of curves, dashed']()) },
  }),
  listDesigns: {
    'whole designs': asCustomer(() => ({ query: PAGE })),
    summaries: asCustomer(() => ({ query: `${PAGE}&view=summary&${metadataFilters()}` })),
    search: asCustomer(() => ({ query: `${PAGE}&q=${encodeURIComponent('large ü '.repeat(12))}` })),
  },
  createDesign: {
    ...Object.fromEntries(
      Object.keys(LARGE_DOCUMENTS).map((name) => [name, draftOf(name as keyof typeof LARGE_DOCUMENTS)]),
    ),
    'images in 200 layers': asCustomer(({ productId, variantId, assetId }) => ({
      json: { productId, variantId, document: imagesDocument(assetId), metadata: largeMetadata() },
    })),
    // The following bodies are invalid, but any client can send them.
    'a body of 24 000 values of the wrong type': asCustomer(({ productId, variantId }) => ({
      json: {
        productId,
        variantId,
        document: { version: 1, placements: [{ printAreaId: 'front', layers: new Array<number>(24_000).fill(0) }] },
      },
      statuses: [400],
    })),
    'a body of 40 000 unknown members': asCustomer(() => ({ json: unknownMembers(40_000), statuses: [400] })),
    'a body of 12 000 layers without most members': asCustomer(({ productId, variantId }) => ({
      json: {
        productId,
        variantId,
        document: {
          version: 1,
          placements: [{ printAreaId: 'front', layers: new Array<object>(12_000).fill({ type: 'text' }) }],
        },
      },
      statuses: [400],
    })),
    '60 bodies of 4 000 layers without most members at once': asCustomer(({ productId, variantId }) => ({
      json: {
        productId,
        variantId,
        document: {
          version: 1,
          placements: [{ printAreaId: 'front', layers: new Array<object>(4_000).fill({ type: 'text' }) }],
        },
      },
      statuses: [400],
      copies: 60,
    })),
    '40 bodies of 40 000 unknown members at once': asCustomer(() => ({
      json: unknownMembers(40_000),
      statuses: [400],
      copies: 40,
    })),
    'a body of 1 MiB': asCustomer(({ productId, variantId }) => ({
      // The service must read the blanks as part of the body, but parsing discards them.
      bytes: new TextEncoder().encode(
        `${' '.repeat(MEBIBYTE)}${JSON.stringify({ productId, variantId, document: PLAIN_DOCUMENT })}`,
      ),
      headers: { 'content-type': 'application/json', 'idempotency-key': randomUUID() },
    })),
  },
  duplicateDesign: asCustomer(({ largeDesignId }) => ({
    params: { designId: largeDesignId },
    headers: { 'idempotency-key': randomUUID() },
  })),
  preflightDesign: {
    paths: asCustomer(({ largeDesignId }) => ({ params: { designId: largeDesignId } })),
    images: async ({ customer, draft, assetId }) => ({
      token: customer.token,
      params: { designId: await draft(imagesDocument(assetId)) },
    }),
    texts: async ({ customer, draft }) => ({
      token: customer.token,
      params: { designId: await draft(LARGE_DOCUMENTS['text of soft hyphens']()) },
    }),
  },
  finalizeDesign: {
    paths: async ({ customer, draft }) => ({
      token: customer.token,
      params: { designId: await draft(LARGE_DOCUMENTS['paths of arcs']()) },
      statuses: [200, 422],
    }),
    texts: async ({ customer, draft }) => ({
      token: customer.token,
      params: { designId: await draft(LARGE_DOCUMENTS['text in 200 layers']()) },
      statuses: [200, 422],
    }),
  },
  previewDesign: {
    paths: asCustomer(({ largeDesignId }) => ({ params: { designId: largeDesignId }, query: 'width=2000' })),
    'with texts': async ({ customer, draft }) => ({
      token: customer.token,
      params: { designId: await draft(LARGE_DOCUMENTS['text of placeholders']()) },
      query: `width=2000&data=${encodeURIComponent(JSON.stringify({ value0: 'x '.repeat(900) }))}`,
      statuses: [200, 400],
    }),
  },
  createDesignLink: asCustomer(({ largeDesignId }) => ({
    params: { designId: largeDesignId },
    json: { file: 'preview', width: 2_000 },
  })),
  getLinkedDesignPreview: linked('/designs', ({ largeDesignId }) => largeDesignId, { file: 'preview', width: 2_000 }),
  getLinkedDesignFile: linked('/designs', ({ designId }) => designId, { file: 'print' }),
  getDesignFile: asCustomer(({ designId }) => ({ params: { designId, fileId: 'print' } })),
  getDesignReceipt: asCustomer(({ designId }) => ({ params: { designId } })),
  listFonts: () => ({}),
  listFontFiles: () => ({}),
  getFontFile: () => ({ params: { release: 'none', file: 'none' }, statuses: [404] }),
  getDesignDocumentSchema: () => ({}),
  listShippingMethods: () => ({ query: `${PAGE}&country=DE`, statuses: [200, 400] }),
  createShippingMethod: asAdmin(() => ({ json: shippingMethod() })),
  getShippingMethod: async ({ json, admin }) => ({
    token: admin.token,
    params: { methodId: (await json('POST', '/shipping-methods', admin.token, shippingMethod())).id },
  }),
  changeShippingMethod: async ({ json, admin }) => ({
    token: admin.token,
    params: { methodId: (await json('POST', '/shipping-methods', admin.token, shippingMethod())).id },
    json: shippingMethod(),
  }),
  deleteShippingMethod: async ({ json, admin }) => ({
    token: admin.token,
    params: { methodId: (await json('POST', '/shipping-methods', admin.token, shippingMethod())).id },
  }),
  listShippingSettings: asAdmin(() => ({ query: PAGE })),
  getTaxSettings: asAdmin(),
  replaceTaxSettings: asAdmin(() => ({
    json: { taxIncluded: false, rates: [{ country: 'DE', basisPoints: 1_900 }] },
  })),
  getSystemConfiguration: asAdmin(),
  listSigningKeys: asAdmin(),
  rotateSigningKeys: asAdmin(() => ({ json: { purposes: ['access_token', 'statement'], force: true } })),
  listMailPreviews: asAdmin(),
  previewMail: async (world) => {
    await largeLogo(world)
    return { token: world.admin.token, params: { kind: 'order_paid' }, query: 'language=de' }
  },
  previewMailText: asAdmin(() => ({
    params: { kind: 'order_paid' },
    json: { language: 'de', subject: 'ü'.repeat(150), body: '{{shop}}\n'.repeat(400) },
  })),
  getMailText: asAdmin(() => ({ params: { kind: 'order_paid', language: 'de' } })),
  replaceMailText: asAdmin(() => ({
    params: { kind: 'order_paid', language: 'de' },
    json: { subject: 'ü'.repeat(150), body: '{{shop}}\n'.repeat(400) },
  })),
  resetMailText: asAdmin(() => ({ params: { kind: 'order_paid', language: 'de' } })),
  sendTestMail: asAdmin(() => ({ params: { kind: 'order_paid' }, json: { language: 'de' } })),
  getShopSettings: () => ({}),
  previewShopColors: () => ({ query: 'accentColor=%23ffe600' }),
  getShopLogo: async (world) => ({ params: { logoId: await largeLogo(world) }, query: 'width=1280' }),
  changeShopSettings: asAdmin(() => ({
    json: {
      name: 'ü'.repeat(80),
      supportEmail: `${'a'.repeat(64)}@${'b'.repeat(60)}.example.com`,
      languages: ['de', 'en'],
      registration: 'open',
      accentColor: '#ffe600',
    },
  })),
  createQuote: {
    'without texts': asCustomer(({ designId }) => ({ json: basket(designId) })),
    'with texts': async (world) => ({
      token: world.customer.token,
      json: basket(await placeholdersDesign(world), largeValues()),
      statuses: [201, 422],
    }),
  },
  getQuote: async ({ customer, designId, json }) => ({
    token: customer.token,
    params: { quoteId: (await json('POST', '/quotes', customer.token, basket(designId))).id },
  }),
  createOrder: {
    'without texts': asCustomer(({ designId }) => ({ json: { ...basket(designId), metadata: largeMetadata() } })),
    'with texts': async (world) => ({
      token: world.customer.token,
      json: basket(await placeholdersDesign(world), largeValues()),
      statuses: [201, 422],
    }),
  },
  listOrders: {
    'whole orders': asCustomer(() => ({ query: PAGE })),
    summaries: asCustomer(() => ({ query: `${PAGE}&view=summary&${metadataFilters()}` })),
    'of all customers': asOperator(() => ({
      query: `${PAGE}&q=${encodeURIComponent('Ada Example Berlin '.repeat(5))}`,
    })),
  },
  getOrder: { customer: onOrder('customer', 'confirmed'), operator: onOrder('operator', 'confirmed') },
  cancelOrder: onOrder('customer', 'awaiting_payment', () => ({ json: { reason: LONG_TEXT } })),
  resolveHold: onOrder('customer', 'on_hold', () => ({ json: { message: LONG_TEXT } })),
  getOwnOrderItemFile: onOrder('customer', 'confirmed', ({ itemIds: [itemId = ''] }) => ({
    params: { itemId, fileId: 'print' },
    statuses: [200, 302, 404],
  })),
  createOrderLink: onOrder('customer', 'confirmed', ({ itemIds: [itemId = ''] }) => ({
    json: { itemId, file: 'print' },
    statuses: [201, 404],
  })),
  // The link is checked before anything else is done.
  getLinkedOrderItemFile: () => ({
    params: { orderId: 'ord_none', itemId: 'itm_none', fileId: 'print' },
    query: 'x'.repeat(4_000),
    statuses: [403],
  }),
  retryOrderItemFiles: onOrder('operator', 'confirmed', ({ itemIds: [itemId = ''] }) => ({
    params: { itemId },
    statuses: [200, 202, 404, 409],
  })),
  // Only installations in test mode on the embedded database simulate the shop.
  advanceTestOrder: onOrder('customer', 'confirmed', () => ({ statuses: [200, 404, 409] })),
  payOrder: onOrder('customer', 'awaiting_payment', () => ({ json: { token: 'test_ok' } })),
  recordPayment: onOrder('operator', 'awaiting_payment', () => ({
    json: { method: 'manual', reference: 'ü'.repeat(200) },
  })),
  refundOrder: onOrder('operator', 'confirmed', () => ({ json: { reason: LONG_TEXT } })),
  getOrderStatistics: asOperator(() => ({ query: 'days=366&timeZone=Asia/Kathmandu' })),
  listProductionOrders: {
    search: asOperator(() => ({ query: `${PAGE}&q=${encodeURIComponent('Ada Example Berlin '.repeat(5))}` })),
    'late orders': asOperator(() => ({ query: `${PAGE}&late=true&sort=dueAt&paymentStatus=captured,refunded` })),
  },
  drawOrderItemFilePage: onOrder('operator', 'confirmed', ({ itemIds: [itemId = ''] }) => ({
    params: { itemId, fileId: 'print', page: '1' },
    query: 'width=2000',
    statuses: [200, 503],
  })),
  getOrderItemFile: onOrder('operator', 'confirmed', ({ itemIds: [itemId = ''] }) => ({
    params: { itemId, fileId: 'print' },
  })),
  holdOrder: onOrder('operator', 'confirmed', () => ({ json: { reason: LONG_TEXT, resolution: 'answer' } })),
  releaseOrder: onOrder('operator', 'on_hold'),
  startProduction: onOrder('operator', 'confirmed'),
  shipOrder: onOrder('operator', 'in_production', ({ itemIds }) => ({
    json: { carrier: 'DHL', items: itemIds.map((itemId) => ({ itemId, quantity: 1 })) },
  })),
  changeOrdersInBulk: onOrder('operator', 'confirmed', ({ id }) => ({
    json: {
      action: 'hold',
      reason: LONG_TEXT,
      orders: [{ id }, ...Array.from({ length: 199 }, () => ({ id: newId('order') }))],
    },
  })),
  importShipments: asOperator(() => ({
    bytes: largeShipmentFile(),
    headers: { 'content-type': 'text/csv', 'idempotency-key': randomUUID() },
  })),
  deliverShipment: onOrder('operator', 'shipped', ({ shipmentId }) => ({ params: { shipmentId } })),
  returnShipment: onOrder('operator', 'shipped', ({ shipmentId }) => ({
    params: { shipmentId },
    json: { reason: LONG_TEXT },
  })),
  listOrderMails: onOrder('operator', 'confirmed'),
  changeOrder: onOrder('operator', 'confirmed', () => ({
    json: { shippingAddress: { ...ADDRESS, line2: 'ü'.repeat(200) } },
    statuses: [200, 422],
  })),
  changeShipment: onOrder('operator', 'shipped', ({ shipmentId }) => ({
    params: { shipmentId },
    json: { carrier: 'ü'.repeat(100), trackingUrl: `https://parcels.example/${'p'.repeat(900)}` },
  })),
  addOrderNote: onOrder('operator', 'confirmed', () => ({ json: { text: LONG_TEXT } })),
  deleteOrderNote: async ({ order, json, operator: { token } }) => {
    const { id: orderId } = await order('confirmed')
    const { id: noteId } = await json('POST', `/orders/${orderId}/notes`, token, { text: LONG_TEXT })
    return { token, params: { orderId, noteId } }
  },
  getPickList: onOrder('operator', 'confirmed', () => ({ statuses: [200, 503] })),
  // On a busy computer, drawing may exceed its timeout.
  getPickLists: asOperator(() => ({ query: 'limit=50', statuses: [200, 503] })),
  createBatch: onFreeOrders(async (orderIds) => ({ json: { name: 'ü'.repeat(100), orderIds } })),
  listBatches: onFreeOrders(async (orderIds, create) => {
    await create(orderIds)
    return { query: PAGE }
  }),
  getBatch: onFreeOrders(async (orderIds, create) => ({ params: { batchId: await create(orderIds) } })),
  addOrdersToBatch: onFreeOrders(async ([first = '', ...others], create) => ({
    params: { batchId: await create([first]) },
    json: { orderIds: others },
  })),
  removeOrderFromBatch: onFreeOrders(async (orderIds, create) => ({
    params: { batchId: await create(orderIds), orderId: orderIds[0] ?? '' },
  })),
  closeBatch: onFreeOrders(async (orderIds, create) => ({ params: { batchId: await create(orderIds) }, json: {} })),
  getBatchPickLists: onFreeOrders(async (_, create, { confirmedIds }) => ({
    params: { batchId: await create(confirmedIds.slice(0, 10)) },
    statuses: [200, 503],
  })),
  downloadPrintFiles: {
    archive: async ({ operator, printable }) => ({
      token: operator.token,
      json: { format: 'zip', orderIds: await printable() },
      // The archive is a stream of 20,000 files.
      endless: true,
    }),
    pdf: async ({ operator, printable }) => ({
      token: operator.token,
      json: { format: 'pdf', orderIds: (await printable()).slice(0, 50) },
      statuses: [200, 503],
    }),
  },
  listEvents: {
    'oldest first': asCustomer(() => ({ query: PAGE })),
    'newest first': asCustomer(() => ({ query: `${PAGE}&order=desc` })),
  },
  getEvent: async ({ customer, json }) => {
    const { data } = await json('GET', '/events?limit=1', customer.token)
    return { token: customer.token, params: { eventId: data[0].id } }
  },
  createEventStreamTicket: asCustomer(),
  streamEvents: async ({ customer, json }) => {
    const { data } = await json('GET', '/events?limit=1', customer.token)
    return { token: customer.token, headers: { 'last-event-id': data[0].id }, endless: true }
  },
  listWebhookEndpoints: asCustomer(() => ({ query: PAGE })),
  createWebhookEndpoint: asSomebody(() => ({ json: { url: `https://example.com/${'u'.repeat(2_000)}` } })),
  getWebhookEndpoint: asCustomer(({ endpointId }) => ({ params: { endpointId } })),
  updateWebhookEndpoint: asCustomer(({ endpointId }) => ({
    params: { endpointId },
    json: { url: `https://example.com/${'u'.repeat(2_000)}`, description: 'ü'.repeat(500) },
  })),
  deleteWebhookEndpoint: asSomebody(async ({ token }, { json }) => ({
    params: { endpointId: (await json('POST', '/webhook-endpoints', token, { url: 'https://example.com/hook' })).id },
  })),
  rotateWebhookSecret: asCustomer(({ endpointId }) => ({ params: { endpointId }, json: { overlapSeconds: 0 } })),
  listWebhookDeliveries: asCustomer(({ endpointId }) => ({ params: { endpointId }, query: PAGE })),
  getWebhookDelivery: asCustomer(({ endpointId, deliveryId }) => ({ params: { endpointId, deliveryId } })),
  retryWebhookDelivery: asCustomer(({ endpointId, deliveryId }) => ({ params: { endpointId, deliveryId } })),
  replayWebhookEvents: asSomebody(async ({ token }, { json }) => ({
    params: { endpointId: (await json('POST', '/webhook-endpoints', token, { url: 'https://example.com/hook' })).id },
    json: { from: new Date(Date.now() - 29 * 86_400_000).toISOString() },
  })),
  getSystemStatus: asAdmin(),
  listJobs: asAdmin(() => ({ query: PAGE })),
  retryJob: async ({ admin, db }) => ({ token: admin.token, params: { jobId: await storeFailedJob(db) } }),
  verifyAuditLog: asAdmin(),
  listRequestLog: storeRequests,
  getRequestLogEntry: async (world) => ({ ...(await storeRequests(world)), query: '' }),
  testWebhookEndpoint: asCustomer(({ endpointId }) => ({ params: { endpointId } })),
  register: {
    'a long password': () => ({
      json: {
        email: `${randomUUID()}@example.com`,
        password: `${randomUUID()}-`.repeat(7).slice(0, 256),
        name: 'ü'.repeat(100),
      },
    }),
    'a password of a megabyte': () => ({
      json: { email: `${randomUUID()}@example.com`, password: 'aB3-'.repeat(MEBIBYTE / 4) },
      statuses: [413],
    }),
    'a password of 32 000 characters': () => ({
      json: { email: `${randomUUID()}@example.com`, password: LONGEST_PASSWORD },
      statuses: [400, 422],
    }),
  },
  verifyEmail: refused([400], { token: 'A'.repeat(200) }),
  resendVerification: () => ({ json: { email: `${'a'.repeat(60)}@example.com` } }),
  changeEmail: asSomebody(() => ({ json: { newEmail: `${randomUUID()}@example.com` } })),
  confirmEmail: refused([400], { token: 'A'.repeat(200) }),
  login: {
    'a new device': ({ customer: { email, password } }) => ({ json: { email, password } }),
    'a password of a megabyte': () => ({
      json: { email: `${randomUUID()}@example.com`, password: 'aB3-'.repeat(MEBIBYTE / 4) },
      statuses: [413],
    }),
    'a password of 32 000 characters': () => ({
      json: { email: `${randomUUID()}@example.com`, password: LONGEST_PASSWORD },
      statuses: [400, 401],
    }),
    '40 bodies of 1 500 unknown members at once': () => ({
      json: unknownMembers(1_500),
      statuses: [400],
      copies: 40,
    }),
  },
  refresh: asSomebody(({ refreshToken }) => ({ json: { refreshToken } })),
  challengeSecondFactor: refused([401], { mfaToken: 'A'.repeat(200), method: 'webauthn' }),
  verifySecondFactor: refused([401], {
    mfaToken: 'A'.repeat(200),
    method: 'webauthn',
    challengeId: 'A'.repeat(100),
    credential: assertion,
  }),
  stepUp: asSomebody(({ password }) => ({ json: { password } })),
  challengeStepUp: refused([409, 422], { method: 'webauthn' }, ({ customer }) => customer.token),
  enableFactor: asSomebody(() => ({ json: { method: 'totp' } })),
  confirmFactor: refused(
    [404, 422],
    { factorId: 'A'.repeat(100), code: '1'.repeat(64) },
    ({ customer }) => customer.token,
  ),
  getMfa: asCustomer(),
  removeFactor: asCustomer(() => ({ params: { factorId: 'fac_none' }, statuses: [404] })),
  renewRecoveryCodes: asCustomer(() => ({ statuses: [409] })),
  logout: asSomebody(),
  listSessions: asCustomer(() => ({ query: PAGE })),
  revokeSession: asCustomer(() => ({ params: { sessionId: 'ses_none' }, statuses: [404] })),
  revokeOtherSessions: asSomebody(),
  forgotPassword: ({ operator }) => ({ json: { email: operator.email } }),
  resetPassword: refused([400], { token: 'A'.repeat(200), newPassword: `${randomUUID()}-`.repeat(6) }),
  changePassword: asSomebody(({ password }) => ({
    json: { currentPassword: password, newPassword: `${randomUUID()}-`.repeat(6) },
  })),
  offerPasskey: asSomebody(),
  addPasskey: refused(
    [422],
    { challengeId: 'A'.repeat(100), credential: attestation, name: 'ü'.repeat(100) },
    ({ customer }) => customer.token,
  ),
  listPasskeys: asCustomer(() => ({ query: PAGE })),
  renamePasskey: asCustomer(() => ({
    params: { credentialId: 'cred_none' },
    json: { name: 'ü'.repeat(100) },
    statuses: [404],
  })),
  removePasskey: asCustomer(() => ({ params: { credentialId: 'cred_none' }, statuses: [404] })),
  offerPasskeySignIn: () => ({}),
  signInWithPasskey: refused([401], { challengeId: 'A'.repeat(100), credential: assertion }),
  ...Object.fromEntries(Object.values(PRESET_SETTINGS).flatMap(({ title }) => providerOperations(title))),
  redeemCode: refused([400], { code: 'A'.repeat(200), codeVerifier: 'A'.repeat(128) }),
  listIdentities: asCustomer(),
  linkIdentity: asCustomer(() => ({ params: { provider: 'google' }, statuses: [404] })),
  stepUpWithIdentity: asCustomer(() => ({ params: { provider: 'google' }, statuses: [404] })),
  unlinkIdentity: asCustomer(() => ({ params: { provider: 'google' }, statuses: [404] })),
  createApiKey: asSomebody(() => ({ json: { name: 'ü'.repeat(100), permissions: ['read', 'write'] } })),
  listApiKeys: asCustomer(() => ({ query: PAGE })),
  rotateApiKey: asSomebody(async (person, { json }) => ({
    params: { keyId: (await json('POST', '/api/api-keys', person.token, { name: 'Key', permissions: ['read'] })).id },
    json: { overlapSeconds: 60 },
  })),
  revokeApiKey: asSomebody(async (person, { json }) => ({
    params: { keyId: (await json('POST', '/api/api-keys', person.token, { name: 'Key', permissions: ['read'] })).id },
  })),
  getApiKey: asSomebody(async (person, { json }) => ({
    params: { keyId: (await json('POST', '/api/api-keys', person.token, { name: 'Key', permissions: ['read'] })).id },
  })),
  getMe: asCustomer(),
  updateMe: asCustomer(() => ({ json: { name: 'ü'.repeat(100) } })),
  getMyStorage: asCustomer(),
  deleteMe: asSomebody(async ({ id }, { fillOrders }) => {
    await fillOrders(id)
    return {}
  }),
  exportMe: asCustomer(),
  listUsers: {
    all: asAdmin(() => ({ query: PAGE })),
    search: asAdmin(() => ({ query: `${PAGE}&q=${encodeURIComponent('ü '.repeat(100))}` })),
  },
  listUserSessions: asAdmin(({ customer }) => ({ params: { userId: customer.id }, query: PAGE })),
  revokeUserSessions: async ({ admin, person }) => ({
    token: admin.token,
    params: { userId: (await person()).id },
  }),
  getStorage: asAdmin(),
  listStorageAccounts: asAdmin(() => ({ query: PAGE })),
  getStorageAccount: asAdmin(({ customer }) => ({ params: { accountId: customer.id } })),
  updateStorageAccount: async ({ admin, person }) => ({
    token: admin.token,
    params: { accountId: (await person()).id },
    json: { storageQuota: 1_000_000 },
  }),
  createInvitation: asAdmin(() => ({ json: { email: `${randomUUID()}@example.com`, role: 'operator', locale: 'de' } })),
  listInvitations: asAdmin(() => ({ query: PAGE })),
  getInvitation: asAdmin(() => ({ params: { invitationId: 'inv_none' }, statuses: [404] })),
  revokeInvitation: asAdmin(() => ({ params: { invitationId: 'inv_none' }, statuses: [404] })),
  readInvitation: refused([400], { token: 'A'.repeat(200) }),
  acceptInvitation: refused([400], { token: 'A'.repeat(200), password: LONGEST_PASSWORD }),
  claimInvitation: refused([400], { token: 'A'.repeat(200) }, ({ customer }) => customer.token),
  startFactorReset: asAdmin(({ customer }) => ({ params: { userId: customer.id }, statuses: [409] })),
  listFactorResets: asAdmin(() => ({ query: PAGE })),
  confirmFactorReset: asAdmin(() => ({ params: { resetId: 'frs_none' }, statuses: [404] })),
  stopFactorReset: asAdmin(() => ({ params: { resetId: 'frs_none' }, statuses: [404] })),
  stopOwnFactorReset: refused([400], { token: 'A'.repeat(200) }),
  getUser: asAdmin(({ customer }) => ({ params: { userId: customer.id } })),
  updateUser: async ({ admin, person }) => ({
    token: admin.token,
    params: { userId: (await person()).id },
    json: { role: 'operator' },
  }),
  createGuest: () => ({}),
  claimGuest: refused([400], { guestToken: 'A'.repeat(4_096) }, ({ customer }) => customer.token),
  createCustomer: asOperator(() => ({ json: largeCustomer(), headers: { 'idempotency-key': randomUUID() } })),
  listCustomers: {
    all: asOperator(() => ({ query: PAGE })),
    search: asOperator(() => ({ query: `${PAGE}&q=${encodeURIComponent('ü '.repeat(100))}` })),
  },
  getCustomer: onCustomer(),
  updateCustomer: onCustomer(() => ({ json: largeCustomer() })),
  deleteCustomer: onCustomer(),
  mergeCustomer: onCustomer((into) => ({ json: { into } })),
  createCustomerToken: onCustomer(() => ({ json: { expiresInSeconds: 900 } })),
  listMySecurityEvents: asCustomer(() => ({ query: PAGE })),
  listSecurityEvents: asAdmin(() => ({ query: PAGE })),
  reportLeakedKeys: () => ({
    json: Array.from({ length: 3_000 }, () => ({
      token: `platen_${'A'.repeat(38)}`,
      type: 'platen_api_key',
      url: 'u'.repeat(200),
    })),
    statuses: [401, 403, 503],
  }),
  receiveStripeEvent: () => ({
    json: { id: 'evt_1', filler: 'x'.repeat(200_000) },
    headers: { 'stripe-signature': `t=1,v1=${'a'.repeat(64)}` },
    statuses: [400, 404],
  }),
}
