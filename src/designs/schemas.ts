import { type Static, Type } from 'typebox'
import { DesignDocumentSchema, PreflightIssueSchema, PreflightReportSchema } from '../drawing/index.ts'
import { PageQuery, pageOf } from '../platform/http/pagination.ts'
import { PriceTiersBody } from '../products/index.ts'
import { DESIGN_STATUSES, statusAt } from './state.ts'
import type { Design, Finalization } from './store.ts'

const closed = { additionalProperties: false } as const

const id = Type.String()
const timestamp = Type.String({ format: 'date-time' })
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])
const oneOf = <const Values extends readonly string[]>(values: Values, options: object = {}) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values, ...options })

const name = Type.String({ minLength: 1, maxLength: 200 })
const metadata = Type.Record(
  Type.String({ pattern: '^.{1,64}$' }),
  Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean()]),
  { maxProperties: 50, additionalProperties: false, description: 'Whatever the client wants to remember, flat.' },
)

export const FinalizationFileBody = Type.Object(
  {
    id: Type.String({ description: '`print`, or `preview-` and the id of the print area.' }),
    kind: oneOf(['print', 'preview']),
    printAreaId: Type.Optional(Type.String()),
    mediaType: Type.String(),
    bytes: Type.Integer(),
    sha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    widthMm: Type.Optional(Type.Number()),
    heightMm: Type.Optional(Type.Number()),
    pages: Type.Optional(Type.Integer()),
  },
  { ...closed, title: 'FinalizationFile' },
)

export const FinalizationBody = Type.Object(
  {
    id,
    revision: Type.Integer(),
    contentHash: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'Of everything that determines the files, by content: equal on every installation.',
    }),
    finalizedAt: timestamp,
    files: Type.Array(FinalizationFileBody),
    warnings: Type.Array(PreflightIssueSchema),
    placeholders: Type.Array(Type.String({ description: 'To be filled per order item.' })),
    price: Type.Object({ priceTiers: PriceTiersBody, currency: Type.String(), validUntil: timestamp }, closed),
    receipt: Type.String({
      description: 'Compact JWS over the finalization, by the keys of `/.well-known/jwks.json`.',
    }),
  },
  { ...closed, title: 'Finalization' },
)

export const DesignBody = Type.Object(
  {
    id,
    status: oneOf(DESIGN_STATUSES),
    revision: Type.Integer({ description: 'Grows by one with each saved change.' }),
    name,
    productId: id,
    variantId: id,
    document: DesignDocumentSchema,
    preflight: PreflightReportSchema,
    finalization: nullable(FinalizationBody),
    metadata,
    createdAt: timestamp,
    updatedAt: timestamp,
  },
  { ...closed, title: 'Design' },
)
export type DesignBody = Static<typeof DesignBody>

export const DesignPage = pageOf(DesignBody)
export const DesignParams = Type.Object({ designId: id }, closed)
export const FileParams = Type.Object({ designId: id, fileId: id }, closed)

export const NewDesignBody = Type.Object(
  {
    productId: Type.String({ maxLength: 64 }),
    variantId: Type.String({ maxLength: 64 }),
    name: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        // One line of text.
        pattern: '^[^\\p{Cc}\\p{Zl}\\p{Zp}]+$',
        description: "The product's name when left out.",
      }),
    ),
    document: Type.Optional(DesignDocumentSchema),
    metadata: Type.Optional(metadata),
  },
  closed,
)
export type NewDesignBody = Static<typeof NewDesignBody>

export const DesignChangesBody = Type.Partial(
  Type.Object({ name, variantId: Type.String({ maxLength: 64 }), document: DesignDocumentSchema, metadata }),
  { ...closed, minProperties: 1, description: 'Each named member replaces what was there, whole.' },
)
export type DesignChangesBody = Static<typeof DesignChangesBody>

export const DesignListQuery = Type.Object(
  { ...PageQuery.properties, status: Type.Optional(oneOf(DESIGN_STATUSES)), productId: Type.Optional(id) },
  closed,
)

export const PreviewQuery = Type.Object(
  {
    printAreaId: Type.Optional(
      Type.String({ maxLength: 64, description: "The product's first print area when left out." }),
    ),
    width: Type.Integer({ minimum: 16, maximum: 2000, default: 600, description: 'Pixels; the height follows.' }),
    data: Type.Optional(
      Type.String({
        maxLength: 8192,
        description:
          'A JSON object of texts, URL-encoded: what to fill the placeholders with, as `items[].data` of an order. One without a text is shown as it stands.',
      }),
    ),
  },
  closed,
)

const FontFamilyBody = Type.Object(
  {
    family: Type.String(),
    styles: Type.Array(Type.Object({ weight: Type.Integer(), style: oneOf(['normal', 'italic']) }, closed)),
    scripts: Type.Array(Type.String({ description: 'ISO 15924 code.' })),
  },
  { ...closed, title: 'FontFamily' },
)
export const FontsBody = Type.Object({ data: Type.Array(FontFamilyBody) }, closed)

/** For the documentation of answers that are bytes. */
export function bytesOf(description: string, ...mediaTypes: string[]) {
  const schema = Type.Unsafe<unknown>({ type: 'string', format: 'binary' })
  return { description, content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }])) }
}

/**
 * The design as the API shows it, as JSON text. Document, report and files are repeated as they are stored:
 * reading a design costs no parsing, however large it is.
 */
export function designJson(design: Design, now: Date): string {
  const { id, revision, name, productId, variantId, finalization } = design
  const head = JSON.stringify({ id, status: statusAt(design, now), revision, name, productId, variantId })
  const tail = JSON.stringify({
    createdAt: design.createdAt.toISOString(),
    updatedAt: design.updatedAt.toISOString(),
  })
  return joinObjects(
    head,
    `{"document":${design.documentJson},"preflight":${design.preflightJson}}`,
    `{"finalization":${finalization === null ? 'null' : finalizationJson(finalization)}}`,
    `{"metadata":${design.metadataJson}}`,
    tail,
  )
}

/** The same as an object. */
export function toDesignBody(design: Design, now: Date): DesignBody {
  return JSON.parse(designJson(design, now)) as DesignBody
}

function finalizationJson({ price, ...finalization }: Finalization): string {
  const { id, revision, contentHash } = finalization
  const lock = JSON.stringify({ currency: price.currency, validUntil: price.validUntil.toISOString() })
  return joinObjects(
    JSON.stringify({ id, revision, contentHash, finalizedAt: finalization.finalizedAt.toISOString() }),
    `{"files":${finalization.filesJson},"warnings":${finalization.warningsJson}}`,
    `{"placeholders":${finalization.placeholdersJson}}`,
    `{"price":${joinObjects(`{"priceTiers":${price.priceTiersJson}}`, lock)}}`,
    JSON.stringify({ receipt: price.receipt }),
  )
}

/** One JSON object with the members of several, none of which is empty. */
function joinObjects(...objects: string[]): string {
  return `{${objects.map((object) => object.slice(1, -1)).join(',')}}`
}
