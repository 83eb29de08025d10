import type { Socket } from 'node:net'
import { sql } from 'kysely'
import pg from 'pg'
import { currentRequest } from '../concurrency/request-context.ts'
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

const names = new Map<string, string>()

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
  values?: unknown[]
}

type Callback = (error: Error | null, result?: pg.QueryResult) => void

/**
 * Returns the name of a statement, which is the same on every connection. Returns undefined if the statement must not
 * be prepared or exceeds the limit.
 */
function nameOf(text: string): string | undefined {
  if (text.startsWith(PLANNED_EACH_TIME)) return undefined
  const known = names.get(text)
  if (known !== undefined || names.size >= MAX_PREPARED) return known
  const name = `s${names.size + 1}`
  names.set(text, name)
  return name
}

/** Reads the arguments of `query`. Returns undefined if the statement must not be prepared. */
function statementOf([first, values]: readonly unknown[]): Statement | undefined {
  if (typeof first === 'string') {
    const name = Array.isArray(values) ? nameOf(first) : undefined
    return name === undefined ? undefined : { name, text: first, values: values as unknown[] }
  }
  const { name, text, submit } = (first ?? {}) as Partial<Statement> & { submit?: unknown }
  if (name === undefined || text === undefined || submit !== undefined) return undefined
  return { ...(first as Statement), ...(Array.isArray(values) ? { values } : {}) }
}

/**
 * A connection that prepares statements with parameters, so that the server parses and plans them once and not for each
 * request. The number of statements is limited, because values are always parameters.
 *
 * A migration can change the result type of a prepared statement. PostgreSQL then rejects the statement on each
 * connection that prepared it earlier. Outside a transaction, this class prepares and runs it again. A transaction must
 * run again as a whole: see `database.ts`.
 */
export class PreparingClient extends pg.Client {
  readonly #prepares: boolean

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
    const running = this.#run(statement)
    const callback = args.at(-1)
    if (typeof callback !== 'function') return running
    const call = callback as Callback
    running.then(
      // Calls the callback outside the promise, so that an exception in the callback is an uncaught error and not a
      // rejection of this promise.
      (result) => process.nextTick(call, null, result),
      (error: Error) => process.nextTick(call, error),
    )
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

  async #run(statement: Statement): Promise<pg.QueryResult> {
    const count = this.#countMoved()
    try {
      return await this.#runPrepared(statement)
    } finally {
      count?.()
    }
  }

  async #runPrepared(statement: Statement): Promise<pg.QueryResult> {
    for (let triesLeft = MOST_TRIES; ; triesLeft -= 1) {
      const prepared = generation
      try {
        return await super.query(inGeneration(statement))
      } catch (error) {
        if (!isStalePlan(error)) throw error
        // Increments the generation only once, because another connection may already have done it.
        if (generation === prepared) generation += 1
        // The transaction status arrives with the response to the next query, not with the error.
        await super.query('')
        if (this.getTransactionStatus() !== 'I' || triesLeft === 1) throw error
      }
    }
  }
}

function inGeneration(statement: Statement): Statement {
  return generation === 0 ? statement : { ...statement, name: `${statement.name}_${generation}` }
}

/** Returns the arguments of `query` without the name under which the server would keep the statement. */
function withoutName([first, ...rest]: readonly unknown[]): unknown[] {
  const { name, submit } = (first ?? {}) as { name?: unknown; submit?: unknown }
  if (name === undefined || submit !== undefined) return [first, ...rest]
  return [{ ...(first as object), name: undefined }, ...rest]
}
