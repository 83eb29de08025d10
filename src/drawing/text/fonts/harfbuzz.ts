import type { Feature, Font } from 'harfbuzzjs'

export type { Feature, Font }

/** An instance's exports, among them those of HarfBuzz's C code. */
type Exports = Record<string, unknown>

/** The part of the WebAssembly API that is used here; TypeScript describes it for browsers only. */
interface WebAssemblyApi {
  instantiate: (...args: unknown[]) => Promise<object>
  instantiateStreaming: (...args: unknown[]) => Promise<object>
  RuntimeError: new (message: string) => Error
}

const { WebAssembly: api } = globalThis as unknown as { WebAssembly: WebAssemblyApi }

/**
 * HarfBuzz, whose JavaScript side is made to fail when its memory is full. As published, it writes to whatever address
 * `malloc` answers: address 0 when there is no memory left, where data of its own are, and goes on with what remains of
 * them. It offers no other place to check than the exports of its WebAssembly module, so these are replaced as it loads.
 *
 * Full, it throws `WebAssembly.RuntimeError`, as if it had trapped: nothing may be shaped with it any more.
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
  // It loads by one of them in Node.js, by the other in browsers.
  Object.assign(api, { instantiate: checked(instantiate), instantiateStreaming: checked(instantiateStreaming) })
  try {
    return await load()
  } finally {
    Object.assign(api, { instantiate, instantiateStreaming })
  }
}

function checkAllocations(exports: Exports): Exports {
  const { malloc } = exports
  // Another module that happens to load at the same time.
  if (typeof malloc !== 'function' || exports['hb_blob_create'] === undefined) return exports
  const checkedMalloc = (bytes: number): number => {
    const address: number = malloc(bytes)
    if (address === 0 && bytes > 0) throw new api.RuntimeError('HarfBuzz is out of memory')
    return address
  }
  return { ...exports, malloc: checkedMalloc }
}
