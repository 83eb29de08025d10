// In this checking process, HarfBuzz cannot get more memory.
import './worker.ts'

const { WebAssembly: api } = globalThis as unknown as { WebAssembly: { Memory: { prototype: { grow: unknown } } } }

api.Memory.prototype.grow = () => {
  throw new RangeError('no more memory')
}
