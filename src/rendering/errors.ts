/** Why a file cannot be an asset; the values are wire codes. */
export type AssetRefusal = 'asset_type_unsupported' | 'asset_unreadable' | 'asset_too_large'

/** The file itself is at fault: sending it again will not help. `detail` may be shown to the person who sent it. */
export class AssetRefused extends Error {
  override readonly name = 'AssetRefused'
  readonly code: AssetRefusal
  readonly detail: string

  constructor(code: AssetRefusal, detail: string) {
    super(`${code}: ${detail}`)
    this.code = code
    this.detail = detail
  }
}

/**
 * How a job ended without a result: it ran out of time, its process died, it outgrew its memory, or it threw.
 * In each case the next job runs in a sound process.
 */
export type RenderFailure = 'timeout' | 'crash' | 'memory' | 'error'

/** A job failed. The message is for logs, not for clients. */
export class RenderFailed extends Error {
  override readonly name = 'RenderFailed'
  override readonly cause: RenderFailure

  constructor(cause: RenderFailure, message: string) {
    super(message)
    this.cause = cause
  }
}

/** More jobs wait than the renderer accepts: answer 503 and let the caller come back. */
export class RenderQueueFull extends Error {
  override readonly name = 'RenderQueueFull'

  constructor() {
    super('The render queue is full')
  }
}
