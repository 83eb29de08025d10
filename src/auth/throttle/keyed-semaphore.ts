import { authProblems } from '../problems.ts'

const MAX_WAITING = 200

export interface KeyedSemaphore {
  /** Waits for a permit of this name, in order of arrival. @throws `sign_in_busy` if too many are already waiting */
  acquire(name: string, permits: number): Promise<void>
  release(name: string): void
}

/**
 * Creates a semaphore per name, in this process. The database counts attempts on its own, but would reject a burst of
 * right passwords because the bucket is full. Here they wait.
 */
export function createKeyedSemaphore(): KeyedSemaphore {
  const slots = new Map<string, { held: number; waiting: (() => void)[] }>()
  return {
    acquire: async (name, permits) => {
      const slot = slots.get(name) ?? { held: 0, waiting: [] }
      slots.set(name, slot)
      if (slot.held < permits) {
        slot.held += 1
        return
      }
      if (slot.waiting.length >= MAX_WAITING) throw authProblems.sign_in_busy({ headers: { 'Retry-After': '2' } })
      await new Promise<void>((resolve) => slot.waiting.push(resolve))
    },
    release: (name) => {
      const slot = slots.get(name)
      if (slot === undefined) return
      const next = slot.waiting.shift()
      if (next !== undefined) next()
      else if (slot.held > 1) slot.held -= 1
      else slots.delete(name)
    },
  }
}
