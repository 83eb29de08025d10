/** Limits for the resources that clients can occupy in one process at the same time. */
export interface FlowLimits {
  /**
   * The most requests in flight of one credential, or of one IP address for anonymous callers. An account may have
   * twice as many. Undefined for no limit.
   */
  requests: number | undefined
  /** The same limit for uploads, which are counted separately. */
  uploads: number | undefined
  /** The most bytes of request and response bodies in memory for one account or IP address. */
  accountBytes: number
  /** The most bytes of request and response bodies in memory for all clients of the process. */
  totalBytes: number
  /** The period in which a connection that is behind must transfer `PROGRESS_BYTES`. */
  stallMs: number
}

export const FLOW_LIMITS: FlowLimits = {
  requests: 64,
  uploads: 8,
  accountBytes: 32 * 1024 * 1024,
  totalBytes: 128 * 1024 * 1024,
  stallMs: 30_000,
}

/** Over 30 s, this is less than 2.2 KiB/s. The slowest mobile networks are ten times as fast. */
export const PROGRESS_BYTES = 64 * 1024
