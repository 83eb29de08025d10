import { Histogram, type Registry } from 'prom-client'
import type { ObjectStore } from './object-store.ts'

type Measured = 'put' | 'localPath' | 'open' | 'remove' | 'check'

/** Returns the same store, which exposes `platen_storage_operation_duration_seconds`. */
export function measureStore(store: ObjectStore, registry: Registry): ObjectStore {
  const durations = new Histogram({
    name: 'platen_storage_operation_duration_seconds',
    help: 'Duration of operations on stored files, by outcome: done or failed. `open` ends before the bytes are read.',
    labelNames: ['operation', 'outcome'] as const,
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 30],
    registers: [registry],
  })
  const measured = <Args extends unknown[], Result>(operation: Measured, run: (...args: Args) => Promise<Result>) => {
    return async (...args: Args): Promise<Result> => {
      const end = durations.startTimer({ operation })
      try {
        const result = await run(...args)
        end({ outcome: 'done' })
        return result
      } catch (error) {
        end({ outcome: 'failed' })
        throw error
      }
    }
  }
  return {
    ...store,
    put: measured('put', store.put),
    localPath: measured('localPath', store.localPath),
    open: measured('open', store.open),
    remove: measured('remove', store.remove),
    check: measured('check', store.check),
  }
}
