import { storageUnavailable } from './platform/storage/index.ts'
import type { Inspection } from './platform/uploads/inspection.ts'
import { type JobFor, Refused, renderFaultOf } from './rendering/index.ts'

/**
 * Has uploads examined by the renderer's processes, where a hostile file can harm nothing.
 *
 * @param examine rejects with `Refused` and a code that its feature knows, or as a `Drawer`
 * @throws `storage_unavailable`; what was thrown, where it is a fault of this program
 */
export function inspectWith<File, Info, Refusal extends string>(
  examine: (file: File, who: JobFor) => Promise<Info>,
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
