import type { Feature, Font } from 'harfbuzzjs'

export type { Feature, Font }

/** The exports of a WebAssembly instance, which include the C functions of HarfBuzz. */
type Exports = Record<string, unknown>

/** The part of the WebAssembly API that is used here. The type library of TypeScript declares it only for browsers. */
interface WebAssemblyApi {
  instantiate: (...args: unknown[]) => Promise<object>
  instantiateStreaming: (...args: unknown[]) => Promise<object>
  RuntimeError: new (message: string) => Error
}

const { WebAssembly: api } = globalThis as unknown as { WebAssembly: WebAssemblyApi }

/**
 * HarfBuzz, loaded so that it throws when its memory is full. The published JavaScript package ignores that `malloc`
 * returned address 0 and writes there, over data of HarfBuzz. Only the exports of the WebAssembly module allow a check,
 * so this file replaces them while the module loads.
 *
 * If the memory is full, HarfBuzz throws `WebAssembly.RuntimeError`, as after a trap. The instance must not be used
 * again.
 */
export const hb = await withCheckedMemory(() => import('harfbuzzjs'))

async function withCheckedMemory<Module>(load: () => Promise<Module>): Promise<Module> {
  const { instantiate, instantiateStreaming } = api
  const checked =
    (original: WebAssemblyApi['instantiate']) =>
    async (...args: unknown[]) => {
      const source = (await original(...args)) as { instance?: { exports: Exports } }
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

function checkAllocations(exports: Exports): Exports {
  const { malloc } = exports
  // While HarfBuzz loads, other code may instantiate a WebAssembly module of its own. The check must not change the
  // exports of such a module.
  if (typeof malloc !== 'function' || exports['hb_blob_create'] === undefined) return exports
  const checkedMalloc = (bytes: number): number => {
    const address: number = malloc(bytes)
    if (address === 0 && bytes > 0) throw new api.RuntimeError('HarfBuzz is out of memory')
    return address
  }
  return { ...exports, malloc: checkedMalloc }
}
