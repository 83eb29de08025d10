import { type Storage, storageUnavailable } from '../../platform/storage/index.ts'
import { type JobImage, renderFaultOf } from '../../rendering/index.ts'
import { designProblems } from '../problems.ts'

/** An uploaded file as the storage knows it. */
export interface ContentByHash {
  sha256: string
}

/** Where the renderer finds the images of a document, by asset id. */
export async function imagesOf(
  storage: Storage,
  assets: ReadonlyMap<string, ContentByHash>,
): Promise<Record<string, JobImage>> {
  const entries = Array.from(assets, async ([id, { sha256 }]) => {
    return [id, { path: await storage.localPath(sha256), sha256 }] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** Images by asset id, as a content hash names them. */
export function hashesById(assets: ReadonlyMap<string, ContentByHash>): Record<string, ContentByHash> {
  return Object.fromEntries(Array.from(assets, ([id, { sha256 }]) => [id, { sha256 }]))
}

/** What a client is told when the renderer did not deliver; other errors are returned as they are. */
export function toRenderProblem(error: unknown): unknown {
  switch (renderFaultOf(error)) {
    case undefined:
      return error
    case 'busy':
      return designProblems.renderer_busy({ headers: { 'Retry-After': '5' } })
    case 'system':
      return storageUnavailable(error)
    case 'timeout': {
      // A loaded machine is slow as well: only when it happens again is the design to blame.
      const detail = 'Drawing took too long. If it happens again, simplify the design.'
      return designProblems.renderer_busy({ detail, headers: { 'Retry-After': '10' } })
    }
    default:
      return designProblems.render_failed()
  }
}
