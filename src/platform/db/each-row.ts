/**
 * Every row of a list, read page after page: only one page is held at a time.
 *
 * @param readPage the rows that follow one, or the first ones; none when there are no more
 */
export async function* eachRow<Row>(readPage: (after: Row | undefined) => Promise<Row[]>): AsyncGenerator<Row> {
  for (let rows = await readPage(undefined); rows.length > 0; rows = await readPage(rows.at(-1))) yield* rows
}
