/** Why a file cannot be an asset; the values are wire codes. */
export type AssetRefusal = 'asset_type_unsupported' | 'asset_unreadable' | 'asset_too_large'

/** Why a file cannot be used as a font; the values are wire codes. */
export type FontRefusal =
  | 'font_type_unsupported'
  | 'font_unreadable'
  | 'font_too_large'
  | 'font_too_complex'
  | 'font_embedding_not_allowed'
  | 'font_subsetting_not_allowed'
  | 'font_outline_embedding_not_allowed'

/** Why a file cannot be used as an output profile; the values are wire codes. */
export type ProfileRefusal = 'color_profile_unsupported' | 'color_profile_unreadable'

/** The file itself is the cause, so uploading the same file again cannot help. Clients may see `detail`. */
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
 * - `timeout`: the limit for wall-clock time
 * - `deadline`: the limit for processor time
 * - `crash`: its process died
 * - `memory`: the memory limit
 * - `killed`: a signal of the system or an operator
 * - `error`: an exception
 * - `unavailable`: the job is not the cause. No process could start, the pool is closed, or the process lacked
 *   resources.
 *
 * In each case the next job gets a working process.
 */
export type RenderFailure = 'timeout' | 'deadline' | 'crash' | 'memory' | 'killed' | 'error' | 'unavailable'

/** A job failed. The message is for logs, not for clients. */
export class RenderFailed extends Error {
  override readonly name = 'RenderFailed'
  override readonly cause: RenderFailure
  /** The code of the system call that failed on a file. If present, the job is not the cause of the failure. */
  readonly systemCode: string | undefined
  /** The last step that the job reported before its process ended; see `RunningJob`. */
  readonly step: number | undefined

  constructor(cause: RenderFailure, message: string, systemCode?: string, step?: number) {
    super(message)
    this.cause = cause
    this.systemCode = systemCode
    this.step = step
  }
}

/** Too many jobs are waiting. The API responds with 503, so that the client repeats the request later. */
export class RenderQueueFull extends Error {
  override readonly name = 'RenderQueueFull'

  constructor() {
    super('The render queue is full')
  }
}

/**
 * Why the renderer gave no result: overload or unavailability, a failed system call, or the time, memory or content of
 * the job.
 */
export type RenderFault = 'busy' | 'system' | 'timeout' | 'memory' | 'failed'

/** Returns the fault of the renderer that an error describes, or undefined for other errors. */
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
    // Decoding and drawing use the most memory, so the kernel kills these processes first if memory runs out.
    case 'killed':
      return 'memory'
    default:
      return 'failed'
  }
}
