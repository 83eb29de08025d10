import type { Config } from '../../config/index.ts'
import { createTransferBudgets, transferRates } from '../../platform/db/index.ts'

/** LISTEN for revocations, and the readiness check. */
const BESIDE_POOL_OF_API = 2
const LEAST_OF_API = 6
const LEAST_OF_MAIN = 5
const MOST_OF_MAIN = 10

type Sizes = Pick<Config, 'databasePool' | 'processes'>

/** Returns the size of the pool of one API process: its part of the connections of the node. */
export function poolOfApi({ databasePool, processes }: Sizes): number {
  return Math.max(LEAST_OF_API, Math.floor(databasePool / processes))
}

/** Returns the size of the pool of the main process, which runs jobs and sends webhooks. */
export function poolOfMain({ databasePool, processes }: Sizes): number {
  if (processes === 1) return databasePool
  return Math.min(MOST_OF_MAIN, Math.max(LEAST_OF_MAIN, Math.ceil(databasePool / 2)))
}

/** Returns how many connections the processes of this node open at most, besides those for jobs and commands. */
export function connectionsOf(sizes: Sizes): number {
  if (sizes.processes === 1) return sizes.databasePool
  return poolOfMain(sizes) + sizes.processes * (poolOfApi(sizes) + BESIDE_POOL_OF_API)
}

/** Returns the budgets of the bytes that the requests of a process move, which are off with the other limits. */
export function budgetsOf({ transferBytesPerSecond: rate }: Pick<Config, 'transferBytesPerSecond'>) {
  return rate === undefined ? undefined : createTransferBudgets(transferRates(rate))
}
