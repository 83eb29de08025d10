import { sql } from 'kysely'
import pg from 'pg'

const PLANNED_EACH_TIME = '/* planned each time */'

/**
 * Begins a statement whose plan is not kept. For tables that are empty at one moment and full at the next, as queues are: the
 * plan of a moment when they were empty reads them from end to end, again for each row of what they are joined with.
 */
export const plannedEachTime = sql.raw(PLANNED_EACH_TIME)

/** Statements that one connection keeps prepared. Each costs the server some kilobytes. */
const MAX_PREPARED = 300

const names = new Map<string, string>()

/** The name of a statement, the same on every connection; undefined for one that is not prepared, or comes too late. */
function nameOf(text: string): string | undefined {
  if (text.startsWith(PLANNED_EACH_TIME)) return undefined
  const known = names.get(text)
  if (known !== undefined || names.size >= MAX_PREPARED) return known
  const name = `s${names.size + 1}`
  names.set(text, name)
  return name
}

/**
 * A connection on which statements with parameters are prepared: parsed and planned once, not with each request.
 * The program's statements are a limited number of texts, as values are always parameters.
 */
export class PreparingClient extends pg.Client {
  // biome-ignore lint/suspicious/noExplicitAny: it stands in for a method with a dozen overloads
  override query(...args: any[]): any {
    const [text, values] = args
    const name = typeof text === 'string' && Array.isArray(values) ? nameOf(text) : undefined
    const query = super.query as (...args: unknown[]) => unknown
    return name === undefined ? query.apply(this, args) : query.apply(this, [{ name, text, values }, ...args.slice(2)])
  }
}
