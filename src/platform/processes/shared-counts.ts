import { type Counts, createCounts } from '../concurrency/counts.ts'

/** How long changes of counts wait for further ones. A request that ends within this time costs no message. */
export const EXCHANGE_MS = 5

/** Changes of counts by topic and key. */
export type Changes = Record<string, Record<string, number>>

/** Shares counts with the other processes of the same node, so that limits apply to all of them together. */
export interface SharedCounts {
  /**
   * Creates counts that include those of the other processes, with a delay of some milliseconds. When a process ends, its
   * counts are taken off.
   */
  counts(topic: string): Counts
  /** Tells the other processes what was counted here. When this process ends, they keep it. */
  note(topic: string, key: string, change: number): void
  /** Calls a function for each change that another process noted. Each topic has one listener. */
  onNote(topic: string, listener: (key: string, change: number) => void): void
}

/** The shared of a process that is the only one. */
export const ALONE: SharedCounts = { counts: createCounts, note: () => undefined, onNote: () => undefined }

/** The topics of counts that are taken off when their process ends. */
export const isHeld = (topic: string): boolean => topic.startsWith('held ')

/**
 * Creates the shared of one process of several.
 *
 * @param send sends changes to all other processes
 */
export function createSharedCounts(
  send: (changes: Changes) => void,
): SharedCounts & { receive(changes: Changes): void } {
  const listeners = new Map<string, (key: string, change: number) => void>()
  let waiting: Changes = {}
  let isFlushing = false

  const flush = (): void => {
    isFlushing = false
    const changes = withoutZeros(waiting)
    waiting = {}
    if (Object.keys(changes).length > 0) send(changes)
  }
  const note = (topic: string, key: string, change: number): void => {
    addTo(waiting, topic, key, change)
    if (isFlushing) return
    isFlushing = true
    setTimeout(flush, EXCHANGE_MS)
  }
  const onNote: SharedCounts['onNote'] = (topic, listener) => {
    if (listeners.has(topic)) throw new Error(`the topic ${topic} has a listener`)
    listeners.set(topic, listener)
  }

  return {
    note,
    onNote,
    counts: (name) => {
      const topic = `held ${name}`
      const all = createCounts()
      onNote(topic, all.add)
      return {
        of: all.of,
        size: all.size,
        add: (key, change) => {
          all.add(key, change)
          note(topic, key, change)
        },
      }
    },
    receive: (changes) => {
      for (const [topic, ofTopic] of Object.entries(changes)) {
        const listener = listeners.get(topic)
        for (const [key, change] of Object.entries(ofTopic)) listener?.(key, change)
      }
    },
  }
}

/** Keeps what each process holds, in the process that passes changes on. */
export function createHoldings() {
  const held = new Map<number, Changes>()
  return {
    /** Records changes of a process. */
    add: (process: number, changes: Changes): void => {
      const own = held.get(process) ?? {}
      held.set(process, own)
      for (const [topic, ofTopic] of Object.entries(changes)) {
        if (!isHeld(topic)) continue
        for (const [key, change] of Object.entries(ofTopic)) addTo(own, topic, key, change)
      }
    },
    /** Returns what all processes hold, for a process that has just started. */
    all: (): Changes => {
      const sums: Changes = {}
      for (const own of held.values()) {
        for (const [topic, ofTopic] of Object.entries(own)) {
          for (const [key, change] of Object.entries(ofTopic)) addTo(sums, topic, key, change)
        }
      }
      return withoutZeros(sums)
    },
    /** Forgets a process that has ended. Returns the changes that take its counts off. */
    remove: (process: number): Changes => {
      const own = held.get(process) ?? {}
      held.delete(process)
      return Object.fromEntries(
        Object.entries(own).map(([topic, ofTopic]) => [
          topic,
          Object.fromEntries(Object.entries(ofTopic).map(([key, count]) => [key, -count])),
        ]),
      )
    },
  }
}

function addTo(changes: Changes, topic: string, key: string, change: number): void {
  changes[topic] ??= Object.create(null) as Record<string, number>
  const ofTopic = changes[topic]
  const sum = (ofTopic[key] ?? 0) + change
  // Without this, the holdings of a process would grow with each key that it ever had.
  if (sum === 0) delete ofTopic[key]
  else ofTopic[key] = sum
}

function withoutZeros(changes: Changes): Changes {
  return Object.fromEntries(Object.entries(changes).filter(([, ofTopic]) => Object.keys(ofTopic).length > 0))
}
