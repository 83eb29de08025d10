import { currentRequest, type RequestContext } from '../../concurrency/request-context.ts'

export interface SlowStatements {
  /** Runs a statement, and logs it if it takes as long as the threshold. */
  measure<T>(text: string, run: () => Promise<T>): Promise<T>
  /** Begins to measure a statement. The caller calls the function at its end. Undefined: nothing is measured. */
  begin(text: string): (() => void) | undefined
  /** Counts the slow statements since the start, also those that were not logged. */
  count(): number
}

interface SlowStatementOptions {
  log: { warn(fields: object, message: string): void }
  /** Undefined or 0: nothing is measured. */
  thresholdMs: number | undefined
  /** Milliseconds of a monotonic clock. */
  now?: () => number
}

/** Number of lines in each minute, so that a slow database does not fill the disk with its log. */
const LINES_PER_MINUTE = 20
const MINUTE_MS = 60_000

const LONGEST_TEXT = 2_000

/**
 * Creates the log of slow statements. The lines contain the text of the statement, whose values are parameters and
 * therefore absent, and the request that waited for it.
 */
export function createSlowStatements({
  log,
  thresholdMs = 0,
  now = () => performance.now(),
}: SlowStatementOptions): SlowStatements {
  let [count, lines, unlogged, minuteBegan] = [0, 0, 0, now()]

  const note = (text: string, durationMs: number, { requestId, operation }: Partial<RequestContext>): void => {
    count += 1
    if (now() - minuteBegan >= MINUTE_MS) [lines, minuteBegan] = [0, now()]
    if (lines >= LINES_PER_MINUTE) {
      unlogged += 1
      return
    }
    lines += 1
    const statement = text.length > LONGEST_TEXT ? `${text.slice(0, LONGEST_TEXT)}...` : text
    const omitted = unlogged === 0 ? undefined : unlogged
    unlogged = 0
    log.warn({ statement, durationMs: Math.round(durationMs), requestId, operation, omitted }, 'slow statement')
  }

  const begin = (text: string): (() => void) | undefined => {
    if (thresholdMs === 0) return undefined
    const beganAt = now()
    const request = currentRequest()
    return () => {
      const durationMs = now() - beganAt
      if (durationMs >= thresholdMs) note(text, durationMs, request ?? {})
    }
  }

  return {
    begin,
    measure: async (text, run) => {
      const end = begin(text)
      try {
        return await run()
      } finally {
        end?.()
      }
    },
    count: () => count,
  }
}
