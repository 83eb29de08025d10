import type { InspectProfile } from './color-profiles/index.ts'
import { ProfileRefused, type Renderer, RenderFailed, RenderQueueFull } from './rendering/index.ts'

/** Has uploaded colour profiles examined by the renderer's processes, where a hostile one can harm nothing. */
export function inspectProfilesWith(renderer: Pick<Renderer, 'inspectProfile'>): InspectProfile {
  return async (file) => {
    try {
      return { outcome: 'accepted', info: await renderer.inspectProfile(file) }
    } catch (error) {
      if (error instanceof ProfileRefused) return { outcome: error.code, detail: error.detail }
      if (error instanceof RenderQueueFull || error instanceof RenderFailed) return { outcome: 'busy' }
      throw error
    }
  }
}
