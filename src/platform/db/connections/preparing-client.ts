import type { Socket } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { currentRequest } from '../../concurrency/request-context.ts'
import { BeginningQuery } from './beginning-query.ts'
import { withCallersStack } from './callers-stack.ts'
import { isStalePlan } from './errors.ts'

const PLANNED_EACH_TIME = '/* planned each time */'

/**
 * The beginning of a statement whose plan must not be cached. Used for tables such as queues, which are empty at times
 * and full at others. A plan for an empty table reads the whole table, and does so again for each row of a joined
 * table.
 */
export const plannedEachTime = sql.raw(PLANNED_EACH_TIME)

/** Maximum number of prepared statements of one connection. Each statement takes some kilobytes on the server. */
const MAX_PREPARED = 300

/** The name of a statement, and its place among the prepared statements of a connection. */
interface Prepared {
  name: string
  place: number
}

/** The prepared statements by text, the least recently used first. */
const prepared = new Map<string, Prepared>()

let namesGiven = 0

/**
 * Part of the name of each prepared statement. Incrementing the generation makes every connection prepare its
 * statements again, because the tables have changed and older plans are not usable. The server frees the old statements
 * when their connection is closed, a few minutes later.
 */
let generation = 0

/** Limit of runs of one statement. More than two, because another migration may commit between two runs. */
const MOST_TRIES = 3

interface Statement {
  name: string
  text: string
  values?: unknown[] | undefined
  /** Undefined for statements with a name of their own. */
  place?: number
}

type Callback = (error: Error | null, result?: pg.QueryResult) => void

type QueryClass = new (text: string, values?: unknown[]) => pg.Query

/**
 * Returns the name and place of a statement, which are the same on every connection. Returns undefined if the statement must
 * not be prepared. If all places are taken, the statement takes the place of the least recently used one. Otherwise, a
 * caller who varies the number of ids in a request would use up the places before other statements have one.
 */
function preparedAs(text: string): Prepared | undefined {
  if (text.startsWith(PLANNED_EACH_TIME)) return undefined
  const known = prepared.get(text) ?? takePlace()
  prepared.delete(text)
  prepared.set(text, known)
  return known
}

function takePlace(): Prepared {
  namesGiven += 1
  const name = `s${namesGiven}`
  const [oldest] = prepared
  if (oldest === undefined || prepared.size < MAX_PREPARED) return { name, place: prepared.size }
  const [text, { place }] = oldest
  prepared.delete(text)
  return { name, place }
}

/** Reads the arguments of `query`. Returns undefined if the statement must not be prepared. */
function statementOf([first, values]: readonly unknown[]): Statement | undefined {
  if (typeof first === 'string') {
    const known = Array.isArray(values) ? preparedAs(first) : undefined
    return known === undefined ? undefined : { ...known, text: first, values: values as unknown[] }
  }
  const { name, text, values: own, submit } = (first ?? {}) as Partial<Statement> & { submit?: unknown }
  if (name === undefined || text === undefined || submit !== undefined) return undefined
  return { name, text, values: Array.isArray(values) ? values : own }
}

/**
 * A connection that prepares statements with parameters, so that the server parses and plans them once and not for each
 * request. The number of statements is limited: the server frees a statement when another one takes its place.
 *
 * A migration can change the result type of a prepared statement. PostgreSQL then rejects the statement on each
 * connection that prepared it earlier. Outside a transaction, this class prepares and runs it again. A transaction must
 * run again as a whole: see `database.ts`.
 */
export class PreparingClient extends pg.Client {
  readonly #prepares: boolean
  /** The names of the statements that this connection has prepared last, by place. */
  readonly #inPlaces: string[] = []

  /** @param settings with `prepares: false`, every statement is parsed again, as behind a pooler that keeps none */
  constructor(settings: pg.ClientConfig & { prepares?: boolean | undefined } = {}) {
    super(settings)
    this.#prepares = settings.prepares !== false
  }

  // biome-ignore lint/suspicious/noExplicitAny: it replaces a method with a dozen overloads
  override query(...args: any[]): any {
    if (!this.#prepares) return this.#runUnprepared(withoutName(args))
    const statement = statementOf(args)
    if (statement === undefined) return this.#runUnprepared(args)
    const callback = args.at(-1)
    if (typeof callback !== 'function') return this.#runAwaited(statement)
    this.#run(statement, callback as Callback)
  }

  /**
   * Begins a transaction and runs its first statement, in one round trip if the connection has prepared the statement.
   * An error leaves the transaction open, as that of any other statement does.
   */
  async beginWith(text: string, values: unknown[]): Promise<pg.QueryResult> {
    const statement = this.#prepares ? statementOf([text, values]) : undefined
    if (statement !== undefined && this.#hasPrepared(statement)) return this.#runAwaited(statement, BeginningQuery)
    await this.query('begin')
    return this.query(text, values)
  }

  #hasPrepared(statement: Statement): boolean {
    const { parsedStatements } = this.connection as unknown as { parsedStatements: Record<string, string> }
    return parsedStatements[nameInGeneration(statement)] === statement.text
  }

  #runUnprepared(args: unknown[]): unknown {
    const count = this.#countMoved()
    const callback = args.at(-1)
    if (count !== undefined && typeof callback === 'function') {
      const counted: Callback = (...result) => {
        count()
        ;(callback as Callback)(...result)
      }
      return (super.query as (...args: unknown[]) => unknown).apply(this, args.with(-1, counted))
    }
    const running = (super.query as (...args: unknown[]) => unknown).apply(this, args)
    if (count !== undefined && running instanceof Promise) running.then(count, count)
    return running
  }

  /** Begins to count the bytes on the connection. The returned function adds them to those of the current request. */
  #countMoved(): (() => void) | undefined {
    const request = currentRequest()
    if (request === undefined) return undefined
    const { stream } = (this as unknown as { connection: { stream: Socket } }).connection
    const before = stream.bytesRead + stream.bytesWritten
    return () => {
      request.movedBytes += stream.bytesRead + stream.bytesWritten - before
    }
  }

  #runAwaited(statement: Statement, Query: QueryClass = pg.Query): Promise<pg.QueryResult> {
    const { promise, resolve, reject } = Promise.withResolvers<pg.QueryResult>()
    this.#run(statement, (error, result) => (error ? reject(error) : resolve(result as pg.QueryResult)), Query)
    return withCallersStack(promise)
  }

  /** @param done called as soon as the response has arrived, so that the connection can be used again at once */
  #run(statement: Statement, done: Callback, Query: QueryClass = pg.Query): void {
    const count = this.#countMoved()
    const ended: Callback = (error, result) => {
      count?.()
      done(error, result)
    }
    this.#runPrepared(statement, ended, Query)
  }

  #runPrepared(statement: Statement, done: Callback, Query: QueryClass, triesLeft = MOST_TRIES): void {
    const before = generation
    super.query(
      this.#freeingPlace(
        statement,
        queryOf(Query, statement, (error, result) => {
          if (!isStalePlan(error)) return done(error, result)
          // Increments the generation only once, because another connection may already have done it.
          if (generation === before) generation += 1
          // The transaction status arrives with the response to the next query, not with the error.
          super.query('', (failure: Error | null) => {
            if (failure) done(failure)
            else if (this.getTransactionStatus() !== 'I' || triesLeft === 1) done(error)
            else this.#runPrepared(statement, done, Query, triesLeft - 1)
          })
        }),
      ),
    )
  }

  /** Makes a query free the statement whose place its own statement takes, in the same round trip. */
  #freeingPlace(statement: Statement, query: pg.Query): pg.Query {
    const { place } = statement
    const name = nameInGeneration(statement)
    if (place === undefined || this.#inPlaces[place] === name) return query
    const submit = query.submit.bind(query)
    query.submit = (connection) => {
      const former = this.#inPlaces[place]
      this.#inPlaces[place] = name
      if (former !== undefined && former !== name) closeStatement(connection, former)
      return submit(connection)
    }
    return query
  }
}

/** Creates what `pg` makes of a statement. `pg` copies an object property by property, which takes longer than sending it. */
function queryOf(Query: QueryClass, statement: Statement, done: Callback): pg.Query {
  const query = new Query(statement.text, statement.values)
  return Object.assign(query, { name: nameInGeneration(statement), callback: done })
}

/** Frees a statement with the protocol, which poolers follow, unlike `deallocate`. It is no error if there is none. */
function closeStatement(connection: pg.Connection, name: string): void {
  const { parsedStatements, close } = connection as unknown as {
    parsedStatements: Record<string, string>
    close(message: { type: 'S'; name: string }): void
  }
  delete parsedStatements[name]
  close.call(connection, { type: 'S', name })
}

function nameInGeneration({ name }: Statement): string {
  return generation === 0 ? name : `${name}_${generation}`
}

/** Returns the arguments of `query` without the name under which the server would keep the statement. */
function withoutName([first, ...rest]: readonly unknown[]): unknown[] {
  const { name, submit } = (first ?? {}) as { name?: unknown; submit?: unknown }
  if (name === undefined || submit !== undefined) return [first, ...rest]
  return [{ ...(first as object), name: undefined }, ...rest]
}
