import { sql } from 'kysely'
import pg from 'pg'
import { isStalePlan } from './errors.ts'

const PLANNED_EACH_TIME = '/* planned each time */'

/**
 * Begins a statement whose plan is not kept. For tables that are empty at one moment and full at the next, as queues are: the
 * plan of a moment when they were empty reads them from end to end, again for each row of what they are joined with.
 */
export const plannedEachTime = sql.raw(PLANNED_EACH_TIME)

/** Statements that one connection keeps prepared. Each costs the server some kilobytes. */
const MAX_PREPARED = 300

const names = new Map<string, string>()

/**
 * Part of the name of each prepared statement. A new generation makes every connection prepare its statements anew: the
 * tables have changed, and the plans of the generation before are no longer usable. The server frees those with their
 * connection, a few minutes later.
 */
let generation = 0

/** Another migration may commit between two tries. */
const MOST_TRIES = 3

interface Statement {
  name: string
  text: string
  values?: unknown[]
}

type Callback = (error: Error | null, result?: pg.QueryResult) => void

/** Names a statement, the same on every connection; undefined for one that is not prepared, or exceeds the limit. */
function nameOf(text: string): string | undefined {
  if (text.startsWith(PLANNED_EACH_TIME)) return undefined
  const known = names.get(text)
  if (known !== undefined || names.size >= MAX_PREPARED) return known
  const name = `s${names.size + 1}`
  names.set(text, name)
  return name
}

/** Reads the arguments of `query`; undefined where they are not those of a statement to prepare. */
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
 * A connection on which statements with parameters are prepared: parsed and planned once, not with each request.
 * The program's statements are a limited number of texts, as values are always parameters.
 *
 * A migration can change what a prepared statement returns. PostgreSQL then refuses to run it, on each connection that
 * prepared it before. Outside of a transaction it is prepared and run again. A transaction has to be run again as a
 * whole: see `database.ts`.
 */
export class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: it stands in for a method with a dozen overloads
  override query(...args: any[]): any {
    const statement = statementOf(args)
    if (statement === undefined) return (super.query as (...args: unknown[]) => unknown).apply(this, args)
    const running = this.#run(statement)
    const callback = args.at(-1)
    if (typeof callback !== 'function') return running
    const call = callback as Callback
    running.then(
      // Beyond the promise, so that what the callback throws is an uncaught error and not a rejection of ours.
      (result) => process.nextTick(call, null, result),
      (error: Error) => process.nextTick(call, error),
    )
  }

  async #run(statement: Statement): Promise<pg.QueryResult> {
    for (let triesLeft = MOST_TRIES; ; triesLeft -= 1) {
      const prepared = generation
      try {
        return await super.query(inGeneration(statement))
      } catch (error) {
        if (!isStalePlan(error)) throw error
        // Another connection may have found out already.
        if (generation === prepared) generation += 1
        // The status of the transaction comes with the answer to the next query, not with the error.
        await super.query('')
        if (this.getTransactionStatus() !== 'I' || triesLeft === 1) throw error
      }
    }
  }
}

function inGeneration(statement: Statement): Statement {
  return generation === 0 ? statement : { ...statement, name: `${statement.name}_${generation}` }
}
