import type { DatabasePool } from './index.ts'

/**
 * Checks whether the database responds, on a connection of its own. A busy pool must not look like an unavailable
 * database.
 */
export interface DatabaseProbe {
  /** @throws the error of the connection or the statement if no response arrives within 2 s */
  check(): Promise<void>
  close(): Promise<void>
}

const ANSWER_MS = 2_000

export function createProbe({ openBeside }: Pick<DatabasePool, 'openBeside'>): DatabaseProbe {
  const own = openBeside({
    application_name: 'platen readiness',
    query_timeout: ANSWER_MS,
    connectionTimeoutMillis: ANSWER_MS,
    // The connection stays open, so that the probe works even if the server has no connections left.
    idleTimeoutMillis: 0,
  })
  let running: Promise<void> | undefined
  const ask = async (): Promise<void> => {
    // Uses the method of the pool, which closes a connection that did not respond.
    await own.pool.query('select 1')
  }
  return {
    check: () => {
      running ??= ask().finally(() => {
        running = undefined
      })
      return running
    },
    close: () => own.close(),
  }
}
