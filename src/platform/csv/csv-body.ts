import { type Static, Type } from 'typebox'
import { validatorCompiler } from '../http/input/validation.ts'
import type { App } from '../http/server.ts'

const closed = { additionalProperties: false } as const

const CSV_MEDIA_TYPE = 'text/csv'

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

/** What is wrong with a line of a file. */
export const LineFaultBody = Type.Object(
  {
    code: Type.String({ description: 'Stable code, or the code of the problem that the change would have.' }),
    column: Type.Optional(Type.String({ description: 'The column as the header of the file names it.' })),
    detail: Type.String(),
  },
  { ...closed, title: 'ImportFault' },
)
export type LineFaultBody = Static<typeof LineFaultBody>

/** Has the routes of a Fastify scope take CSV files, and nothing else. The handler gets a `Buffer` as the body. */
export function takeCsv(app: App, bodyLimit: number): void {
  app.removeAllContentTypeParsers()
  const options = { parseAs: 'buffer', bodyLimit } as const
  app.addContentTypeParser(CSV_MEDIA_TYPE, options, async (_request: unknown, body: Buffer) => body)
}

/** The options of a route that takes a CSV file. The body is not JSON, so the handler checks it. */
export const csvRoute = (bodyLimit: number) => ({
  bodyLimit,
  validatorCompiler: ((route) =>
    route.httpPart === 'body' ? () => true : validatorCompiler(route)) as typeof validatorCompiler,
})
