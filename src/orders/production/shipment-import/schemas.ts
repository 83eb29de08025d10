import { type Static, Type } from 'typebox'

const closed = { additionalProperties: false } as const

export const CSV_MEDIA_TYPE = 'text/csv'

/** This schema is only documentation, because the body is not JSON. */
export const CsvBody = {
  content: { [CSV_MEDIA_TYPE]: { schema: Type.Unsafe<unknown>({ type: 'string', format: 'binary' }) } },
}

export const ImportQuery = Type.Object(
  {
    dryRun: Type.Optional(
      Type.Unsafe<'true' | 'false'>({
        type: 'string',
        enum: ['true', 'false'],
        description: '`true`: checks the file and changes nothing.',
      }),
    ),
  },
  closed,
)

const LineFaultBody = Type.Object(
  {
    code: Type.String({ description: 'Stable code, or the code of the problem that shipping the order would have.' }),
    column: Type.Optional(Type.String({ description: 'The column as the header of the file names it.' })),
    detail: Type.String(),
  },
  { ...closed, title: 'ImportFault' },
)
export type LineFaultBody = Static<typeof LineFaultBody>

const OUTCOMES = ['ready', 'shipped', 'unchanged', 'faulty'] as const

const LineBody = Type.Object(
  {
    line: Type.Integer({ description: 'The line of the file, beginning with 1.' }),
    order: Type.String({ description: 'The order as the file names it, cut at 64 characters.' }),
    orderId: Type.Optional(Type.String()),
    outcome: Type.Unsafe<(typeof OUTCOMES)[number]>({
      type: 'string',
      enum: OUTCOMES,
      description:
        '`ready`: would be shipped without `dryRun`. `unchanged`: the parcel has been recorded before, or the order has left.',
    }),
    errors: Type.Optional(Type.Array(LineFaultBody, { description: 'Present if the line is `faulty`.' })),
  },
  { ...closed, title: 'ImportedLine' },
)
export type LineBody = Static<typeof LineBody>

export const ImportBody = Type.Object(
  {
    dryRun: Type.Boolean(),
    counts: Type.Object(
      { ready: Type.Integer(), shipped: Type.Integer(), unchanged: Type.Integer(), faulty: Type.Integer() },
      closed,
    ),
    ignoredColumns: Type.Array(Type.String(), { description: 'Columns of the file that the import does not know.' }),
    lines: Type.Array(LineBody),
  },
  { ...closed, title: 'ShipmentImport' },
)
export type ImportBody = Static<typeof ImportBody>
