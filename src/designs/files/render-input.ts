import { type Storage, storageUnavailable } from '../../platform/storage/index.ts'
import { type JobImage, type Renderer, RenderFailed, renderFaultOf } from '../../rendering/index.ts'
import { designProblems } from '../problems.ts'

/** An uploaded file in the storage. */
export interface ContentByHash {
  sha256: string
  /** Size of an image in pixels, if it is known. */
  widthPx?: number
  heightPx?: number
}

/** Returns the paths of a document's images for the renderer, by asset id. */
export async function imagesOf(
  storage: Storage,
  assets: ReadonlyMap<string, ContentByHash>,
): Promise<Record<string, JobImage>> {
  const entries = Array.from(assets, async ([id, { sha256 }]) => {
    return [id, { path: await storage.localPath(sha256), sha256 }] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

export function hashesById(assets: ReadonlyMap<string, ContentByHash>): Record<string, ContentByHash> {
  return Object.fromEntries(Array.from(assets, ([id, { sha256 }]) => [id, { sha256 }]))
}

/**
 * Refuses a caller who has as many drawings in the queue as one may have. This costs a fraction of reading and sending a
 * design that is refused then.
 *
 * @throws `renderer_busy`
 */
export async function requireRoom(renderer: Pick<Renderer, 'requireRoom'>, account: string): Promise<void> {
  await renderer.requireRoom(account).catch((error: unknown) => {
    throw toRenderProblem(error)
  })
}

/** Maps an error of the renderer to the problem that the client receives. Other errors are returned unchanged. */
export function toRenderProblem(error: unknown): unknown {
  if (error instanceof RenderFailed && error.cause === 'deadline') {
    const detail = 'Drawing exceeds the processor time that one design may use. Simplify the design, then try again.'
    return designProblems.render_failed({ detail })
  }
  switch (renderFaultOf(error)) {
    case undefined:
      return error
    case 'busy':
      return designProblems.renderer_busy({ headers: { 'Retry-After': '5' } })
    case 'system':
      return storageUnavailable(error)
    case 'timeout': {
      // The machine may only be busy, so the response does not blame the design.
      const detail = 'Drawing exceeded its time limit. If this happens again, simplify the design.'
      return designProblems.renderer_busy({ detail, headers: { 'Retry-After': '10' } })
    }
    default:
      return designProblems.render_failed()
  }
}
