import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

/** After this time, a process has usually done the work that follows its start. */
const AFTER_MS = 1_500

interface CollectionOptions {
  type: 'major'
  /** `last-resort` also gives free pages back to the system. */
  flavor?: 'last-resort'
}

let gc: ((options: CollectionOptions) => void) | undefined

function loadCollector(): (options: CollectionOptions) => void {
  setFlagsFromString('--expose-gc')
  const loaded = runInNewContext('gc')
  // V8 keeps compiled code apart for each set of flags, and the next start would compile again what loads later here.
  setFlagsFromString('--no-expose-gc')
  return loaded
}

/** Frees memory that nothing uses, including what native code keeps for objects. Takes some 20 ms. */
export function collectGarbage(): void {
  gc ??= loadCollector()
  gc({ type: 'major' })
}

/**
 * Frees what the start of this process left, a third of the memory of an idle process. V8 would keep it until the
 * process has allocated as much again, which may take hours. The collection takes some 100 ms.
 */
export function collectGarbageOfStart(): void {
  const collect = (): void => {
    gc ??= loadCollector()
    gc({ type: 'major', flavor: 'last-resort' })
  }
  setTimeout(collect, AFTER_MS).unref()
}
