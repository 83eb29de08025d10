import { CommandError } from '../../command-line/command-error.ts'
import { type Terminal, writeJsonLine } from '../../command-line/terminal.ts'
import type { Connection } from './connection.ts'
import { type ApiRequest, call } from './request.ts'

interface Page {
  data: readonly unknown[]
  nextCursor: string | null
}

/** Reads a list page by page and prints each record as one line, so that the length of the list does not matter. */
export async function printAllPages(
  connection: Connection,
  path: string,
  headers: Headers,
  terminal: Terminal,
): Promise<number> {
  for await (const record of readAll(connection, path, { headers })) writeJsonLine(record, terminal.out)
  return 0
}

const isCursor = (value: unknown): boolean => value === null || typeof value === 'string'

/** Yields the records of all pages. @throws {CommandError} if the operation does not return a list */
export async function* readAll<Item>(
  connection: Connection,
  path: string,
  request: Pick<ApiRequest, 'headers' | 'signal'> = {},
): AsyncGenerator<Item> {
  const [pathname = '', search = ''] = path.split(/\?(.*)/s)
  const query = new URLSearchParams(search)
  if (!query.has('limit')) query.set('limit', '100')
  for (;;) {
    const page = await call<Page | undefined>(connection, ['GET', `${pathname}?${query}`], request)
    if (!Array.isArray(page?.data) || !isCursor(page.nextCursor)) {
      throw new CommandError(`${pathname} does not return a list with pages. Leave out --all.`)
    }
    yield* page.data as Item[]
    if (page.nextCursor === null) return
    query.set('cursor', page.nextCursor)
  }
}
