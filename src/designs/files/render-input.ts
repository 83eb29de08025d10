import type { Asset } from '../../assets/index.ts'
import type { Storage } from '../../platform/storage.ts'
import { type JobImage, RenderFailed, RenderQueueFull } from '../../rendering/index.ts'
import { designProblems } from '../problems.ts'

/** Where the renderer finds the images of a document, by asset id. */
export async function imagesOf(
  storage: Storage,
  assets: ReadonlyMap<string, Asset>,
): Promise<Record<string, JobImage>> {
  const entries = Array.from(assets, async ([id, { sha256 }]) => {
    return [id, { path: await storage.localPath(sha256), sha256 }] as const
  })
  return Object.fromEntries(await Promise.all(entries))
}

/** What a client is told when the renderer did not deliver; other errors are returned as they are. */
export function toRenderProblem(error: unknown): unknown {
  if (error instanceof RenderQueueFull) return designProblems.renderer_busy({ headers: { 'Retry-After': '5' } })
  if (!(error instanceof RenderFailed)) return error
  // A loaded machine is slow as well: only when it happens again is the design to blame.
  if (error.cause === 'timeout') {
    const detail = 'Drawing took too long. If it happens again, simplify the design.'
    return designProblems.renderer_busy({ detail, headers: { 'Retry-After': '10' } })
  }
  return designProblems.render_failed()
}
