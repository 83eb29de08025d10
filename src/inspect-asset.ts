import type { InspectAsset } from './assets/index.ts'
import { AssetRefused, type Renderer, RenderFailed, RenderQueueFull } from './rendering/index.ts'

/** Has uploads examined by the renderer's processes, where a hostile image can harm nothing. */
export function inspectWith(renderer: Pick<Renderer, 'inspect'>): InspectAsset {
  return async (file) => {
    try {
      return { outcome: 'accepted', info: await renderer.inspect(file) }
    } catch (error) {
      if (error instanceof AssetRefused) return { outcome: error.code, detail: error.detail }
      if (error instanceof RenderQueueFull || error instanceof RenderFailed) return { outcome: 'busy' }
      throw error
    }
  }
}
