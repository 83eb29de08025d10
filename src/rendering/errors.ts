/** Why a file cannot be an asset; the values are wire codes. */
export type AssetRefusal = 'asset_type_unsupported' | 'asset_unreadable' | 'asset_too_large'

/** Why a file cannot be a font that designs are set in; the values are wire codes. */
export type FontRefusal =
  | 'font_type_unsupported'
  | 'font_unreadable'
  | 'font_too_large'
  | 'font_too_complex'
  | 'font_embedding_not_allowed'
  | 'font_subsetting_not_allowed'
  | 'font_outline_embedding_not_allowed'

/** Why a file cannot be the output condition of print files; the values are wire codes. */
export type ProfileRefusal = 'color_profile_unsupported' | 'color_profile_unreadable'

/** The file itself is at fault: sending it again will not help. `detail` may be shown to the person who sent it. */
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
 * How a job ended without a result: it took too long by the clock, it used up its processor time (`deadline`), its process
 * died, it outgrew its memory, its process was `killed` by the system or an operator, it threw, or (`unavailable`) it is not to blame: it never began, because no process could be
 * started or the pool is closed, or its process was in need. In each case the next job runs in a sound process.
 */
export type RenderFailure = 'timeout' | 'deadline' | 'crash' | 'memory' | 'killed' | 'error' | 'unavailable'

/** A job failed. The message is for logs, not for clients. */
export class RenderFailed extends Error {
  override readonly name = 'RenderFailed'
  override readonly cause: RenderFailure
  /** Of a system call that failed while a file was read or written: the job is not to blame. */
  readonly systemCode: string | undefined
  /** The last step that the job told before its process was gone; see `RunningJob`. */
  readonly step: number | undefined

  constructor(cause: RenderFailure, message: string, systemCode?: string, step?: number) {
    super(message)
    this.cause = cause
    this.systemCode = systemCode
    this.step = step
  }
}

/** More jobs wait than the renderer accepts: answer 503 and let the caller come back. */
export class RenderQueueFull extends Error {
  override readonly name = 'RenderQueueFull'

  constructor() {
    super('The render queue is full')
  }
}

/**
 * Why the renderer did not deliver: it has too much to do or is away, the system did not let it read or write a file,
 * or the time, memory or content of the job.
 */
export type RenderFault = 'busy' | 'system' | 'timeout' | 'memory' | 'failed'

/** The fault of the renderer that an error tells of; undefined for errors of others. The one place that reads them. */
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
    // Decoding and drawing take the most memory of all, so the kernel takes them first where it has none left.
    case 'killed':
      return 'memory'
    default:
      return 'failed'
  }
}
