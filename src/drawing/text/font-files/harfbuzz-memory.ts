/** The exports of a WebAssembly instance, which include the C functions of HarfBuzz. */
export type HarfBuzzExports = Record<string, unknown>

/** The error for a full memory: `WebAssembly.RuntimeError`, as after a trap. Some browsers have no WebAssembly. */
const OutOfMemory: new (message: string) => Error =
  (globalThis as unknown as { WebAssembly?: { RuntimeError: new (message: string) => Error } }).WebAssembly
    ?.RuntimeError ?? Error

/**
 * Returns the exports of HarfBuzz with a `malloc` that throws when the memory is full. The published JavaScript package
 * ignores that `malloc` returned address 0 and writes there, over data of HarfBuzz. Other exports are returned as they
 * are.
 */
export function checkAllocations(exports: HarfBuzzExports): HarfBuzzExports {
  const { malloc } = exports
  // While HarfBuzz loads, other code may instantiate a WebAssembly module of its own. The check must not change the
  // exports of such a module.
  if (typeof malloc !== 'function' || exports['hb_blob_create'] === undefined) return exports
  const checkedMalloc = (bytes: number): number => {
    const address: number = malloc(bytes)
    if (address === 0 && bytes > 0) throw new OutOfMemory('HarfBuzz is out of memory')
    return address
  }
  return { ...exports, malloc: checkedMalloc }
}
