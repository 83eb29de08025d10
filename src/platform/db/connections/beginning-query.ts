import pg from 'pg'

/** What a query uses of its connection. */
interface Protocol {
  parse(message: { text: string }): void
  bind(message: object): void
  execute(message: object): void
}

interface Messages {
  prepare(connection: Protocol): void
  handleCommandComplete(message: { text: string }, connection: Protocol): void
}

/** The types of `pg` leave out these methods. */
const Query = pg.Query as unknown as new (text: string, values?: unknown[]) => pg.Query & Messages

/**
 * Sends a statement together with the beginning of its transaction, which saves a round trip. If the transaction does not
 * begin, the server skips the statement.
 *
 * The connection must have prepared the statement before: `pg` would take the preparation of `begin` for that of the
 * statement.
 */
export class BeginningQuery extends Query {
  readonly beginsTransaction = true

  override prepare(connection: Protocol): void {
    connection.parse({ text: 'begin' })
    connection.bind({})
    connection.execute({})
    super.prepare(connection)
  }

  override handleCommandComplete(message: { text: string }, connection: Protocol): void {
    if (message.text !== 'BEGIN') super.handleCommandComplete(message, connection)
  }
}
