import type { Feature, Font } from 'harfbuzzjs'
import { checkAllocations, type HarfBuzzExports } from '../font-files/harfbuzz-memory.ts'

export type { Feature, Font }

/** The part of the WebAssembly API that is used here. The type library of TypeScript declares it only for browsers. */
interface WebAssemblyApi {
  instantiate: (...args: unknown[]) => Promise<object>
  instantiateStreaming: (...args: unknown[]) => Promise<object>
}

const { WebAssembly: api } = globalThis as unknown as { WebAssembly?: WebAssemblyApi }

/**
 * HarfBuzz, loaded so that it throws when its memory is full (see `checkAllocations`). Only the exports of the
 * WebAssembly module allow the check, so this file replaces them while the module loads. The editor loads HarfBuzz
 * without WebAssembly and checks the exports itself.
 *
 * If the memory is full, HarfBuzz throws `WebAssembly.RuntimeError`, as after a trap. The instance must not be used
 * again.
 */
export const hb = await (api === undefined ? import('harfbuzzjs') : withCheckedMemory(api, () => import('harfbuzzjs')))

async function withCheckedMemory<Module>(api: WebAssemblyApi, load: () => Promise<Module>): Promise<Module> {
  const { instantiate, instantiateStreaming } = api
  const checked =
    (original: WebAssemblyApi['instantiate']) =>
    async (...args: unknown[]) => {
      const source = (await original(...args)) as { instance?: { exports: HarfBuzzExports } }
      if (source.instance === undefined) return source
      return { ...source, instance: { exports: checkAllocations(source.instance.exports) } }
    }
  // HarfBuzz uses one of these functions in Node.js and the other one in browsers.
  Object.assign(api, { instantiate: checked(instantiate), instantiateStreaming: checked(instantiateStreaming) })
  try {
    return await load()
  } finally {
    Object.assign(api, { instantiate, instantiateStreaming })
  }
}
