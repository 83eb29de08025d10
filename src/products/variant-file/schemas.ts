import { type Static, Type } from 'typebox'
import { LineFaultBody } from '../../platform/csv/csv-body.ts'

const closed = { additionalProperties: false } as const

const FORMATS = ['comma', 'semicolon'] as const

export const ExportQuery = Type.Object(
  {
    status: Type.Optional(
      Type.Unsafe<'active' | 'archived'>({ type: 'string', enum: ['active', 'archived'], default: 'active' }),
    ),
    format: Type.Optional(
      Type.Unsafe<(typeof FORMATS)[number]>({
        type: 'string',
        enum: FORMATS,
        default: 'comma',
        description:
          '`semicolon`: fields separated by semicolons and decimal commas, as spreadsheets in German expect.',
      }),
    ),
  },
  closed,
)

export const VariantFile = {
  description: 'The file, in UTF-8 with a byte order mark.',
  content: { 'text/csv': { schema: Type.Unsafe<unknown>({ type: 'string' }) } },
}

const OUTCOMES = ['ready', 'imported', 'unchanged', 'faulty'] as const
export type Outcome = (typeof OUTCOMES)[number]

const LineBody = Type.Object(
  {
    line: Type.Integer({ description: 'The line of the file, beginning with 1.' }),
    productId: Type.String({
      description: 'As the file names it, cut at 64 characters. Of a new product, its id after the import.',
    }),
    variant: Type.String({ description: 'Variant id or SKU as the file names it, cut at 64 characters.' }),
    newProduct: Type.Optional(
      Type.String({ description: 'Name of the product that the line describes, cut at 64 characters.' }),
    ),
    outcome: Type.Unsafe<Outcome>({
      type: 'string',
      enum: OUTCOMES,
      description: '`ready`: would be imported without `dryRun`. `unchanged`: the variant has these values already.',
    }),
    errors: Type.Optional(Type.Array(LineFaultBody, { description: 'Present if the line is `faulty`.' })),
  },
  { ...closed, title: 'ImportedVariant' },
)
export type LineBody = Static<typeof LineBody>

export const VariantImportBody = Type.Object(
  {
    dryRun: Type.Boolean(),
    counts: Type.Object(
      { ready: Type.Integer(), imported: Type.Integer(), unchanged: Type.Integer(), faulty: Type.Integer() },
      closed,
    ),
    newProducts: Type.Integer({ description: 'Number of the products that are created, or would be.' }),
    ignoredColumns: Type.Array(Type.String(), { description: 'Columns of the file that the import does not know.' }),
    lines: Type.Array(LineBody),
  },
  { ...closed, title: 'VariantImport' },
)
export type VariantImportBody = Static<typeof VariantImportBody>
