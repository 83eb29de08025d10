import { type Static, Type } from 'typebox'
import { DesignDocumentSchema } from '../drawing/index.ts'
import { PageQuery, pageOf } from '../platform/http/responses/pagination.ts'
import type { Template, TemplateSummary } from './store.ts'

const closed = { additionalProperties: false } as const

const timestamp = Type.String({ format: 'date-time' })
const line = (maxLength: number) => Type.String({ minLength: 1, maxLength, pattern: '^[^\\p{Cc}\\p{Zl}\\p{Zp}]+$' })
const name = line(200)
const CATEGORIES = { maxItems: 20, uniqueItems: true, description: 'Names of categories, under which shops list it.' }
const categories = Type.Array(line(50), CATEGORIES)

const summary = {
  id: Type.String(),
  name: Type.String(),
  productId: Type.String(),
  categories: Type.Array(Type.String(), CATEGORIES),
  previewUrl: Type.String({
    description: 'Path of a preview below the origin of the service. It needs no credential.',
  }),
  status: Type.Unsafe<Template['status']>({ type: 'string', enum: ['active', 'archived'] }),
  createdAt: timestamp,
  updatedAt: timestamp,
}

export const TemplateBody = Type.Object(
  { ...summary, document: DesignDocumentSchema },
  { ...closed, title: 'Template' },
)
export type TemplateBody = Static<typeof TemplateBody>

export const TemplatePage = pageOf(
  Type.Object(
    { ...summary, document: Type.Optional(DesignDocumentSchema) },
    { ...closed, title: 'ListedTemplate', description: 'A template. `document` is absent with `view=summary`.' },
  ),
)

export const NewTemplateBody = Type.Object(
  {
    designId: Type.String({ maxLength: 64, description: 'A draft of the administrator.' }),
    name,
    categories: Type.Optional(categories),
  },
  closed,
)
export type NewTemplateBody = Static<typeof NewTemplateBody>

export const TemplateChangesBody = Type.Partial(Type.Object({ name, categories }), { ...closed, minProperties: 1 })
export type TemplateChangesBody = Static<typeof TemplateChangesBody>

export const TemplateParams = Type.Object({ templateId: Type.String() }, closed)

export const TemplateListQuery = Type.Object(
  {
    ...PageQuery.properties,
    productId: Type.Optional(Type.String({ maxLength: 64 })),
    category: Type.Optional(Type.String({ minLength: 1, maxLength: 50, description: 'One of `categories`.' })),
    status: Type.Optional(
      Type.Unsafe<Template['status']>({
        type: 'string',
        enum: ['active', 'archived'],
        default: 'active',
        description: '`archived` needs the role `admin` and the permission `products:write`.',
      }),
    ),
    view: Type.Optional(
      Type.Unsafe<'summary'>({ type: 'string', enum: ['summary'], description: '`summary` leaves out `document`.' }),
    ),
  },
  closed,
)

/** Few sizes, so that a preview is seldom drawn again. */
const PREVIEW_WIDTHS = [160, 320, 640, 1280]

export const TemplatePreviewQuery = Type.Object(
  {
    printAreaId: Type.Optional(
      Type.String({ maxLength: 64, description: 'Default: the first print area of the product.' }),
    ),
    width: Type.Unsafe<number>({
      type: 'integer',
      enum: PREVIEW_WIDTHS,
      default: 640,
      description: 'Width in pixels. The height follows from the print area.',
    }),
  },
  closed,
)

export const TemplatePreview = {
  description: 'The preview.',
  content: { 'image/webp': { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) } },
}

/** Presents a template as JSON text, which contains the document in its stored form. */
export function templateJson(template: Template): string {
  return `${summaryJson(template).slice(0, -1)},"document":${template.documentJson}}`
}

/** Presents a template without its document. */
export function summaryJson(template: TemplateSummary): string {
  const { id, name, productId, categories, status } = template
  return JSON.stringify({
    ...{ id, name, productId, categories, status },
    previewUrl: `/v1/templates/${id}/preview`,
    createdAt: template.createdAt.toISOString(),
    updatedAt: template.updatedAt.toISOString(),
  })
}

/** Presents a template as an object. */
export function toTemplateBody(template: Template): TemplateBody {
  return JSON.parse(templateJson(template)) as TemplateBody
}
