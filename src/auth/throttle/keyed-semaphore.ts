import { authProblems } from '../problems.ts'

const MAX_WAITING = 200

export interface Gate {
  /** Waits for a place under this name, in order of arrival. @throws `sign_in_busy` when too many wait already */
  enter(name: string, places: number): Promise<void>
  leave(name: string): void
}

/**
 * Lets so many in at once under one name. It decides nothing: the database counts. But a burst of right passwords
 * then waits its turn here instead of being refused there for want of room.
 */
export function createGate(): Gate {
  const doors = new Map<string, { inside: number; waiting: (() => void)[] }>()
  return {
    enter: async (name, places) => {
      const door = doors.get(name) ?? { inside: 0, waiting: [] }
      doors.set(name, door)
      if (door.inside < places) {
        door.inside += 1
        return
      }
      if (door.waiting.length >= MAX_WAITING) throw authProblems.sign_in_busy({ headers: { 'Retry-After': '2' } })
      await new Promise<void>((resolve) => door.waiting.push(resolve))
    },
    leave: (name) => {
      const door = doors.get(name)
      if (door === undefined) return
      const next = door.waiting.shift()
      if (next !== undefined) next()
      else if (door.inside > 1) door.inside -= 1
      else doors.delete(name)
    },
  }
}
