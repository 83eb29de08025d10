import pg from 'pg'

/** Statements that one connection keeps prepared. Each costs the server some kilobytes. */
const MAX_PREPARED = 300

const names = new Map<string, string>()

/** The name of a statement, the same on every connection; undefined for those that come too late to be given one. */
function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= MAX_PREPARED) return known
  const name = `s${names.size + 1}`
  names.set(text, name)
  return name
}

/**
 * A connection on which every statement with parameters is prepared: parsed and planned once, not with each request.
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
