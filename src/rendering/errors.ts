/** The reason why a file cannot be an asset. The values are error codes of the API. */
export type AssetRefusal = 'asset_type_unsupported' | 'asset_unreadable' | 'asset_too_large'

/** The reason why a file cannot be used as a font. The values are error codes of the API. */
export type FontRefusal =
  | 'font_type_unsupported'
  | 'font_unreadable'
  | 'font_too_large'
  | 'font_too_complex'
  | 'font_embedding_not_allowed'
  | 'font_subsetting_not_allowed'
  | 'font_outline_embedding_not_allowed'

/** The reason why a file cannot be used as an output profile. The values are error codes of the API. */
export type ProfileRefusal = 'color_profile_unsupported' | 'color_profile_unreadable'

/**
 * The error for a file that cannot be accepted. Uploading the same file again has the same result. Clients may see
 * `detail`.
 */
export class Refused<Code extends string> extends Error {
  override readonly name = 'Refused'
  readonly code: Code
  readonly detail: string

  constructor(code: Code, detail: string) {
    super(`${code}: ${detail}`)
    this.code = code
    this.detail = detail
  }
}

/**
 * How a job ended without a result:
 * - `timeout`: the job exceeded the limit for wall-clock time
 * - `deadline`: the job exceeded the limit for processor time
 * - `crash`: the process of the job died
 * - `memory`: the process exceeded the memory limit
 * - `killed`: the system or an operator ended the process with a signal
 * - `error`: the job threw an exception
 * - `unavailable`: the job is not the cause. No process could start, the pool is closed, or the process lacked
 *   resources.
 *
 * In each case the next job gets a working process.
 */
export type RenderFailure = 'timeout' | 'deadline' | 'crash' | 'memory' | 'killed' | 'error' | 'unavailable'

/** The error for a failed job. The message is for logs, not for clients. */
export class RenderFailed extends Error {
  override readonly name = 'RenderFailed'
  override readonly cause: RenderFailure
  /**
   * The error code of a system call on a file, such as `ENOSPC`, if such a call failed. The job is then not the cause
   * of the failure.
   */
  readonly systemCode: string | undefined
  /** The last step that the job reported before its process ended (`RunningJob`). */
  readonly step: number | undefined

  constructor(cause: RenderFailure, message: string, systemCode?: string, step?: number) {
    super(message)
    this.cause = cause
    this.systemCode = systemCode
    this.step = step
  }
}

/**
 * The error for a job that the queue rejects because too many jobs are waiting. The API responds with 503, so that the
 * client repeats the request later.
 */
export class RenderQueueFull extends Error {
  override readonly name = 'RenderQueueFull'

  constructor() {
    super('The render queue is full')
  }
}

/**
 * The reason why the renderer gave no result: overload or unavailability, a failed system call, or the time, memory or
 * content of the job.
 */
export type RenderFault = 'busy' | 'system' | 'timeout' | 'memory' | 'failed'

/** Classifies an error of the renderer. Returns undefined for other errors. */
export function renderFaultOf(error: unknown): RenderFault | undefined {
  if (error instanceof RenderQueueFull) return 'busy'
  if (!(error instanceof RenderFailed)) return undefined
  if (error.systemCode !== undefined) return 'system'
  switch (error.cause) {
    case 'unavailable':
      return 'busy'
    case 'timeout':
    case 'memory':
      return error.cause
    case 'deadline':
      return 'timeout'
    // Decoding and drawing use the most memory. If memory runs out, the kernel therefore kills a rendering process
    // first.
    case 'killed':
      return 'memory'
    default:
      return 'failed'
  }
}
