import { type Renderer, RenderFailed } from '../../../src/rendering/index.ts'
import { sharedRenderer } from '../../harness.ts'

export interface BreakableRenderer extends Renderer {
  /** While true, jobs in the background fail as if their design could not be drawn. */
  isBroken: boolean
}

/** Returns the real renderer, which a scene can make fail. */
export function createBreakableRenderer(): BreakableRenderer {
  const real = sharedRenderer()
  const renderer: BreakableRenderer = {
    ...real,
    isBroken: false,
    inBackground: {
      ...real.inBackground,
      print: (...job) =>
        renderer.isBroken
          ? Promise.reject(new RenderFailed('memory', 'for the example'))
          : real.inBackground.print(...job),
    },
  }
  return renderer
}
