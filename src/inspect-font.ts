import type { InspectFont } from './fonts/index.ts'
import { FontRefused, type Renderer, RenderFailed, RenderQueueFull } from './rendering/index.ts'

/** Has uploaded fonts examined by the renderer's processes, where a hostile one can harm nothing. */
export function inspectFontsWith(renderer: Pick<Renderer, 'inspectFont'>): InspectFont {
  return async (file) => {
    try {
      return { outcome: 'accepted', info: await renderer.inspectFont(file) }
    } catch (error) {
      if (error instanceof FontRefused) return { outcome: error.code, detail: error.detail }
      if (error instanceof RenderQueueFull || error instanceof RenderFailed) return { outcome: 'busy' }
      throw error
    }
  }
}
