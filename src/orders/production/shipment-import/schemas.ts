import { type Static, Type } from 'typebox'
import { ImportQuery, LineFaultBody } from '../../../platform/csv/csv-body.ts'

const closed = { additionalProperties: false } as const

const lineOfFile = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000_000, description }))

export const ShipmentImportQuery = Type.Object(
  {
    ...ImportQuery.properties,
    firstLine: lineOfFile('Reports and ships the lines from this line of the file on. Default: all lines.'),
    lastLine: lineOfFile('Reports and ships the lines up to this line of the file. Default: all lines.'),
  },
  closed,
)
export type ShipmentImportQuery = Static<typeof ShipmentImportQuery>

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
