import type { DatabasePool } from './index.ts'

/** Whether the database answers, asked on a connection of its own: a pool in full use is not a database that is away. */
export interface DatabaseProbe {
  /** @throws the error of the connection or the statement when there is no answer within 2 s */
  check(): Promise<void>
  close(): Promise<void>
}

const ANSWER_MS = 2_000

export function createProbe({ openApart }: Pick<DatabasePool, 'openApart'>): DatabaseProbe {
  const own = openApart({
    application_name: 'platen readiness',
    query_timeout: ANSWER_MS,
    connectionTimeoutMillis: ANSWER_MS,
    // The connection stays open, so that the probe needs none when the server has no more to give.
    idleTimeoutMillis: 0,
  })
  let running: Promise<void> | undefined
  const ask = async (): Promise<void> => {
    // By the pool's own method, which closes a connection that did not answer.
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
