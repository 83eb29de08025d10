import type { PoolSettings } from '../../platform/db/index.ts'
import type { SharedPort } from '../serve/listening.ts'

/** What the main process tells an API process when it may open the database. */
export interface Begin {
  poolSettings: PoolSettings
  /** The port of the service. Its number is that of the settings, unless that is 0. */
  shared: SharedPort
}

/** What the main process tells an API process that must end. Durations in milliseconds. */
export interface Stop {
  delayMs: number
  withinMs: number
}

/** Changes of shared counts, in both directions. */
export const COUNTS = 'counts'
/** An API process asks for the counts of the others, before it serves requests. */
export const JOIN = 'join'
/** An API process asks for the metrics of the node. */
export const READ_METRICS = 'metrics: read'
/** The main process asks for the metrics of an API process. */
export const COLLECT_METRICS = 'metrics: collect'
