import { rendererBusy } from '../../designs/index.ts'
import { createFairSemaphore, createKeyedSemaphore } from '../../platform/concurrency/semaphore.ts'

/** Downloads of one user that may wait in one process. The service prepares one of them at a time. */
const WAITING_OF_USER = 4

/** Downloads whose items one process reads at a time, and that may wait for it. One can have thousands of items. */
const READ_AT_ONCE = 2
const WAITING = 32

const tooMany = () => rendererBusy('Too many downloads of print files are being prepared.')
const ofUsers = createKeyedSemaphore({ max: WAITING_OF_USER, whenFull: tooMany })
const ofProcess = createFairSemaphore(READ_AT_ONCE, { waiting: { max: WAITING, whenFull: tooMany } })

export interface Requester {
  owner: string
  /** Aborted if the client has disconnected. */
  signal: AbortSignal
}

/**
 * Reads and prepares a download when it is the turn of its user. Users take turns to read, and prepare in parallel.
 *
 * @throws `renderer_busy`
 */
export function prepareInTurn<Read, Prepared>(
  { owner, signal }: Requester,
  read: () => Promise<Read>,
  prepare: (read: Read) => Promise<Prepared>,
): Promise<Prepared> {
  return ofUsers.run(owner, 1, async () => {
    signal.throwIfAborted()
    const found = await ofProcess.run(owner, () => {
      signal.throwIfAborted()
      return read()
    })
    return prepare(found)
  })
}
