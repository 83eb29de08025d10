import { type Static, Type } from 'typebox'
import { customerIdOf } from '../auth/index.ts'
import { DesignDocumentSchema, PreflightIssueSchema, PreflightReportSchema } from '../drawing/index.ts'
import { linkLifeMember, linkQueryMembers } from '../platform/http/links/link-schemas.ts'
import { ExternalReferenceBody, ExternalReferenceInput } from '../platform/records/external-reference.ts'
import { PriceTiersBody } from '../products/index.ts'
import { DESIGN_STATUSES, statusAt } from './state.ts'
import type { Design, DesignSummary, FinalizationSummary } from './store.ts'

const closed = { additionalProperties: false } as const

const id = Type.String()
const timestamp = Type.String({ format: 'date-time' })
const nullable = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T) => Type.Union([schema, Type.Null()])
const oneOf = <const Values extends readonly string[]>(values: Values, options: object = {}) =>
  Type.Unsafe<Values[number]>({ type: 'string', enum: values, ...options })

const NAME_LENGTH = { minLength: 1, maxLength: 200 } as const
const name = Type.String(NAME_LENGTH)
/** A name in a request: one line of text. Older rows may contain other names. */
const givenName = (options: object = {}) =>
  Type.String({ ...NAME_LENGTH, pattern: '^[^\\p{Cc}\\p{Zl}\\p{Zp}]+$', ...options })
const metadata = Type.Record(
  Type.String({ pattern: '^.{1,64}$' }),
  Type.Union([Type.String({ maxLength: 500 }), Type.Number(), Type.Boolean()]),
  {
    maxProperties: 50,
    additionalProperties: false,
    description: 'Data of the client, not interpreted by the service. Values are strings, numbers or booleans.',
  },
)

export const FinalizationFileBody = Type.Object(
  {
    id: Type.String({
      description:
        '`print`, or `preview-` followed by the id of the print area. The ids are the same in every installation.',
    }),
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
      description:
        'SHA-256 over everything that determines the files. Equal content has the same hash in every installation.',
    }),
    finalizedAt: timestamp,
    files: Type.Array(FinalizationFileBody),
    warnings: Type.Array(PreflightIssueSchema),
    placeholders: Type.Array(Type.String({ description: 'Name of a placeholder. Each order item must fill it.' })),
    price: Type.Object({ priceTiers: PriceTiersBody, currency: Type.String(), validUntil: timestamp }, closed),
    receipt: Type.String({
      description: 'Compact JWS over the finalization, signed with a key of `/.well-known/jwks.json`.',
    }),
  },
  { ...closed, title: 'Finalization' },
)

const FinalizationErrorBody = Type.Object(
  {
    code: Type.String({ description: 'Code of the problem, for example `render_failed`.' }),
    detail: Type.String(),
    errors: Type.Optional(
      Type.Array(
        Type.Object(
          { code: Type.String(), detail: Type.String(), pointer: Type.Optional(Type.String()) },
          { additionalProperties: true },
        ),
        { description: 'The first 50 members of `errors` of the problem.' },
      ),
    ),
    at: timestamp,
  },
  { ...closed, title: 'FinalizationError' },
)
export type FinalizationErrorBody = Static<typeof FinalizationErrorBody>

export const DesignBody = Type.Object(
  {
    id,
    customerId: Type.String({ description: 'Id of the customer who owns it.' }),
    status: oneOf(DESIGN_STATUSES),
    revision: Type.Integer({ description: 'Increases by one with each saved change.' }),
    name,
    productId: id,
    variantId: id,
    document: DesignDocumentSchema,
    preflight: PreflightReportSchema,
    finalization: nullable(FinalizationBody),
    lastFinalizationError: Type.Union([FinalizationErrorBody, Type.Null()], {
      description:
        'Why the last finalization with `Prefer: respond-async` failed after its 202 response. Null if none failed, or if a new finalization has begun since.',
    }),
    metadata,
    externalReference: ExternalReferenceBody,
    templateId: Type.Union([Type.String(), Type.Null()], {
      description: 'The template from which the design was made. The locks of the layers bind such a design.',
    }),
    createdAt: timestamp,
    updatedAt: timestamp,
  },
  { ...closed, title: 'Design' },
)
export type DesignBody = Static<typeof DesignBody>

export const DesignParams = Type.Object({ designId: id }, closed)
export const FileParams = Type.Object({ designId: id, fileId: id }, closed)

export const NewDesignBody = Type.Object(
  {
    productId: Type.String({ maxLength: 64 }),
    variantId: Type.String({ maxLength: 64 }),
    name: Type.Optional(givenName({ description: 'Default: the name of the template, else of the product.' })),
    document: Type.Optional(DesignDocumentSchema),
    templateId: Type.Optional(
      Type.String({ maxLength: 64, description: 'A template of the product, whose document is copied.' }),
    ),
    metadata: Type.Optional(metadata),
    externalReference: Type.Optional(ExternalReferenceInput),
  },
  closed,
)
export type NewDesignBody = Static<typeof NewDesignBody>

export const DesignChangesBody = Type.Partial(
  Type.Object({
    name: givenName(),
    variantId: Type.String({ maxLength: 64 }),
    document: DesignDocumentSchema,
    metadata,
    externalReference: ExternalReferenceInput,
  }),
  { ...closed, minProperties: 1, description: 'Each member replaces the current value as a whole.' },
)
export type DesignChangesBody = Static<typeof DesignChangesBody>

const printAreaId = Type.String({ maxLength: 64, description: 'Default: the first print area of the product.' })
const WIDTH = {
  minimum: 16,
  maximum: 2000,
  description: 'Width in pixels. The height follows from the print area.',
} as const

export const NewDesignLinkBody = Type.Object(
  {
    file: Type.String({
      minLength: 1,
      maxLength: 100,
      description: '`preview`, or the id of a file of the finalization.',
    }),
    printAreaId: Type.Optional(printAreaId),
    width: Type.Optional(Type.Integer({ ...WIDTH, description: `${WIDTH.description} Default: 600.` })),
    ...linkLifeMember,
  },
  closed,
)

export const PreviewLinkQuery = Type.Object(
  { printAreaId, width: Type.Integer({ ...WIDTH, description: WIDTH.description }), ...linkQueryMembers },
  closed,
)

export const PreviewQuery = Type.Object(
  {
    printAreaId: Type.Optional(printAreaId),
    width: Type.Integer({ ...WIDTH, default: 600 }),
    data: Type.Optional(
      Type.String({
        maxLength: 8192,
        description:
          'URL-encoded JSON object with the texts of the placeholders, in the form of `items[].data` of an order, at most 8192 characters. Unknown names are ignored. A placeholder without a text is shown as it is written.',
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
export const FontFilesBody = Type.Object(
  {
    data: Type.Array(
      Type.Object(
        {
          family: Type.String(),
          category: Type.String({
            description: 'Category of the family, such as `serif`. Fallback tries families of the same category first.',
          }),
          fileUrl: Type.String({
            description:
              'Path of a file, with the variables `{subset}`, `{weight}` and `{style}`. It contains the release of the family, because the files of a release never change.',
          }),
          styles: Type.Array(Type.Object({ weight: Type.Integer(), style: oneOf(['normal', 'italic']) }, closed)),
          subsets: Type.Array(
            Type.Object(
              {
                name: Type.String(),
                scripts: Type.Array(Type.String({ description: 'ISO 15924 code.' })),
                ranges: Type.Array(
                  Type.Array(Type.Integer(), { minItems: 2, maxItems: 2, description: 'First and last code point.' }),
                  { description: 'Code points that the files of the subset are for. A file may lack some of them.' },
                ),
              },
              closed,
            ),
          ),
        },
        { ...closed, title: 'FontFiles' },
      ),
    ),
  },
  closed,
)

export const FontFileParams = Type.Object(
  {
    release: Type.String({ description: 'Release of a family, such as `inter@5.3.0`.' }),
    file: Type.String({ description: 'Name of the file, such as `latin-400-normal.woff`.' }),
  },
  closed,
)

export const FontsBody = Type.Object({ data: Type.Array(FontFamilyBody) }, closed)

/** Documents a response that consists of bytes. */
export function bytesOf(description: string, ...mediaTypes: string[]) {
  const schema = Type.Unsafe<unknown>({ type: 'string', format: 'binary' })
  return { description, content: Object.fromEntries(mediaTypes.map((mediaType) => [mediaType, { schema }])) }
}

/**
 * Presents a design as JSON text. Document, report and files are copied in their stored form, so that reading even a
 * large design needs no parsing.
 */
export function designJson(design: Design, now: Date): string {
  const { documentJson, preflightJson, finalization } = design
  return presentDesign(design, now, {
    content: `"document":${documentJson},"preflight":${preflightJson}`,
    receipt: membersOf({ receipt: finalization?.price.receipt }),
  })
}

/** Presents a design without its large members. */
export function designSummaryJson(design: DesignSummary, now: Date): string {
  return presentDesign(design, now, { content: '', receipt: '' })
}

/** @param large the large members, as `objectOf` takes them */
function presentDesign(design: DesignSummary, now: Date, large: { content: string; receipt: string }): string {
  const { id, revision, name, productId, variantId, finalization } = design
  const customerId = customerIdOf(design.ownerId)
  return objectOf(
    membersOf({ id, customerId, status: statusAt(design, now), revision, name, productId, variantId }),
    large.content,
    `"finalization":${finalization === null ? 'null' : finalizationJson(finalization, large.receipt)}`,
    `"lastFinalizationError":${design.lastFinalizationErrorJson ?? 'null'}`,
    `"metadata":${design.metadataJson}`,
    membersOf({
      externalReference: design.externalReference,
      templateId: design.templateId,
      createdAt: design.createdAt.toISOString(),
      updatedAt: design.updatedAt.toISOString(),
    }),
  )
}

/** Presents a design as an object. */
export function toDesignBody(design: Design, now: Date): DesignBody {
  return JSON.parse(designJson(design, now)) as DesignBody
}

function finalizationJson({ price, ...finalization }: FinalizationSummary, receipt: string): string {
  const { id, revision, contentHash } = finalization
  const lock = membersOf({ currency: price.currency, validUntil: price.validUntil.toISOString() })
  return objectOf(
    membersOf({ id, revision, contentHash, finalizedAt: finalization.finalizedAt.toISOString() }),
    `"files":${finalization.filesJson},"warnings":${finalization.warningsJson}`,
    `"placeholders":${finalization.placeholdersJson}`,
    `"price":${objectOf(`"priceTiers":${price.priceTiersJson}`, lock)}`,
    receipt,
  )
}

/** Returns the members of an object as JSON text, for `objectOf`. */
export function membersOf(object: object): string {
  return JSON.stringify(object).slice(1, -1)
}

/**
 * Returns a JSON object with these members, each a text with some of them or none. V8 copies a large document once, when
 * it is sent, as long as texts are only put together.
 */
export function objectOf(...members: string[]): string {
  let text = ''
  for (const some of members) if (some !== '') text += text === '' ? some : `,${some}`
  return `{${text}}`
}
