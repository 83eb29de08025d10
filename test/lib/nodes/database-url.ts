import type { PoolSettings } from '../../../src/platform/db/index.ts'

/** Returns the URL of a database whose server listens on a Unix socket. */
export function urlOf({ host, port, user, database }: PoolSettings): string {
  return `postgresql://${user}@/${database}?${new URLSearchParams({ host: String(host), port: String(port) })}`
}
