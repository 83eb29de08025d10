import type { Registry } from 'prom-client'
import type { Channel } from './channel.ts'
import type { SharedCounts } from './shared-counts.ts'

/** How one process works together with the other processes of its node. A process that is alone has none. */
export interface ProcessGroup {
  /** The number of API processes. */
  processes: number
  /** Whether each process opens the port itself. Otherwise the main process passes connections on (`node:cluster`). */
  sharesPort: boolean
  /** Shares counts with the other API processes. */
  shared: SharedCounts
  /** The connection of an API process to the main process. Undefined in the main process. */
  main: Channel | undefined
  /** Whether all API processes serve requests. */
  isComplete(): boolean
  /** Returns the metrics of all processes of the node together, in the text format of Prometheus. */
  readMetrics(own: Registry): Promise<string>
}

/** Divides a limit of a node among its API processes. */
export function partOf(limit: number, group: Pick<ProcessGroup, 'processes'> | undefined, least = 1): number {
  return Math.max(least, Math.floor(limit / (group?.processes ?? 1)))
}
