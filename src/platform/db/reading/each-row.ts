/**
 * Yields every row of a list and reads it page by page, so that only one page is in memory.
 *
 * @param readPage returns the rows after the given row, or the first rows; an empty page ends the list
 */
export async function* eachRow<Row>(readPage: (after: Row | undefined) => Promise<Row[]>): AsyncGenerator<Row> {
  for (let rows = await readPage(undefined); rows.length > 0; rows = await readPage(rows.at(-1))) yield* rows
}
