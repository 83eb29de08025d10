import type { FastifyReply } from 'fastify'
import { type Static, type TSchema, Type } from 'typebox'
import type { CutRows } from '../../db/reading/size-cut.ts'
import type { Problem } from '../../problem.ts'
import { httpProblems } from '../core/problems.ts'

/** The query of every list: page size, and the cursor from the previous page. */
export const PageQuery = Type.Object(
  {
    limit: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 20,
      description: 'Maximum number of records. A page of large records ends earlier, at about 2 MiB.',
    }),
    cursor: Type.Optional(Type.String({ maxLength: 512, description: '`nextCursor` of the previous page.' })),
  },
  { additionalProperties: false },
)
export type PageQuery = Static<typeof PageQuery>

export interface Page<Row> {
  data: Row[]
  nextCursor: string | null
}

export function pageOf<T extends TSchema>(item: T) {
  return Type.Object(
    { data: Type.Array(item), nextCursor: Type.Union([Type.String(), Type.Null()]) },
    { additionalProperties: false },
  )
}

/**
 * Returns the id after which a page starts, or undefined for the first page. Ids are ordered by creation time, so a
 * page boundary stays stable when records are added.
 *
 * @throws `invalid_cursor`
 */
export function readCursor(query: PageQuery): string | undefined {
  if (query.cursor === undefined) return undefined
  const decoded = decode(query.cursor)
  if (!/^[a-z]{3,4}_[0-9a-z]{26}$/.test(decoded)) throw invalidCursor()
  return decoded
}

const encode = (id: string): string => Buffer.from(id).toString('base64url')
const decode = (cursor: string): string => Buffer.from(cursor, 'base64url').toString('utf8')

export function invalidCursor(): Problem {
  return httpProblems.invalid_cursor({
    errors: [{ code: 'invalid_cursor', parameter: 'cursor', detail: 'Send `nextCursor` of a page unchanged.' }],
  })
}

/**
 * Builds a page and its next cursor.
 *
 * @param rows rows of the page, and one more row if the list continues
 */
export function toPage<Row extends { id: string }, Body>(
  rows: Row[],
  query: PageQuery,
  present: (row: Row) => Body,
): Page<Body> {
  const shown = rows.slice(0, query.limit)
  const last = shown.at(-1)
  const nextCursor = rows.length > query.limit && last !== undefined ? encode(last.id) : null
  return { data: shown.map(present), nextCursor }
}

/** Builds a page from records that the database has limited by number and size. */
export function toCutPage<Row, Body>({ rows, nextAfter }: CutRows<Row>, present: (row: Row) => Body): Page<Body> {
  return { data: rows.map(present), nextCursor: nextCursorOf(nextAfter) }
}

/**
 * Sends a page of records that are already JSON text. Parsing and serializing large records again would block all other
 * requests.
 */
export function sendPageText(reply: FastifyReply, data: readonly string[], nextCursor: string | null): FastifyReply {
  const text = `{"data":[${data.join(',')}],"nextCursor":${JSON.stringify(nextCursor)}}`
  return reply.type('application/json; charset=utf-8').send(text)
}

/** Returns the cursor of the page that starts after this id, or null if there is no next page. */
export function nextCursorOf(nextAfter: string | undefined): string | null {
  return nextAfter === undefined ? null : encode(nextAfter)
}

/**
 * Selects one page of a short list that was read completely and has an order of its own.
 *
 * @throws `invalid_cursor`, also if the last record of the previous page no longer exists
 */
export function cutPage<Row extends { id: string }, Body>(
  rows: Row[],
  query: PageQuery,
  present: (row: Row) => Body,
): Page<Body> {
  if (query.cursor === undefined) return toPage(rows, query, present)
  const after = decode(query.cursor)
  const last = rows.findIndex(({ id }) => id === after)
  if (last === -1) throw invalidCursor()
  return toPage(rows.slice(last + 1), query, present)
}
