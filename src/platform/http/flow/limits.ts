/** Limits for the resources that clients can occupy in one process at the same time. */
export interface FlowLimits {
  /**
   * Maximum number of requests in flight for one credential, or for one IP address of anonymous callers. An account can
   * have twice as many. Undefined means no limit.
   */
  requests: number | undefined
  /** Maximum number of uploads in flight for one credential or IP address. They are counted separately. */
  uploads: number | undefined
  /** Maximum number of bytes of request and response bodies in memory for one account or IP address. */
  accountBytes: number
  /** Maximum number of bytes of request and response bodies in memory for all clients of the process. */
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
