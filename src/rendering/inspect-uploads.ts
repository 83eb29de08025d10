import { storageUnavailable } from '../platform/storage/index.ts'
import type { Inspection } from '../platform/uploads/inspection.ts'
import { Refused, renderFaultOf } from './errors.ts'
import type { JobOptions } from './renderer.ts'

/**
 * Creates the function that a feature uses to inspect its uploads. The inspection runs in a child process, because a
 * hostile file may crash it.
 *
 * @param examine a method of the renderer that rejects with `Refused`, such as `renderer.inspectFont`
 * @returns a function that throws `storage_unavailable` after a failed system call, and rethrows program errors
 */
export function inspectWith<File, Info, Refusal extends string>(
  examine: (file: File, options: JobOptions) => Promise<Info>,
): (file: File, ownerId: string) => Promise<Inspection<Info, Refusal>> {
  return async (file, ownerId) => {
    try {
      return { outcome: 'accepted', info: await examine(file, { owner: ownerId }) }
    } catch (error) {
      if (error instanceof Refused) return { outcome: error.code as Refusal, detail: error.detail }
      const fault = renderFaultOf(error)
      if (fault === 'busy') return { outcome: 'busy' }
      throw fault === 'system' ? storageUnavailable(error) : error
    }
  }
}
