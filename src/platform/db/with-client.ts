import pg from 'pg'

/** Runs work on a connection of its own, which is closed afterwards. */
export async function withClient<Result>(
  settings: pg.PoolConfig,
  work: (client: pg.Client) => Promise<Result>,
): Promise<Result> {
  const client = new pg.Client(settings)
  // Without a listener, a connection that breaks would end the process. The running query reports the error anyway.
  client.on('error', () => undefined)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
