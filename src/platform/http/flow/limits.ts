/** What one process lets its clients hold at the same time. */
export interface FlowLimits {
  /**
   * Requests of one credential (for anonymous callers: one IP address) in flight; twice as many of one account.
   * Undefined: any number.
   */
  requests: number | undefined
  /** The same for uploads, which count apart. */
  uploads: number | undefined
  /** Bytes of request bodies and responses in memory for one account, or for one IP address. */
  accountBytes: number
  /** The same for all clients of the process together. */
  totalBytes: number
  /** A connection that is behind has to move `PROGRESS_BYTES` in each such period. */
  stallMs: number
}

export const FLOW_LIMITS: FlowLimits = {
  requests: 64,
  uploads: 8,
  accountBytes: 32 * 1024 * 1024,
  totalBytes: 128 * 1024 * 1024,
  stallMs: 30_000,
}

/** Less than 2.2 KiB/s over 30 s. The slowest mobile networks are ten times as fast. */
export const PROGRESS_BYTES = 64 * 1024
