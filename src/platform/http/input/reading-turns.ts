import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { runForAll } from '../../concurrency/request-context.ts'
import { createFairSemaphore, networkOfOwner } from '../../concurrency/semaphore.ts'
import { networkOf } from '../../networks.ts'

/** What the event loop spends on a part of a body, however short it is, and on each MiB. Measured with some margin. */
const MS_PER_PART = 0.004
const MS_PER_MIB = 0.5

/** Reading may take this part of the time of the event loop. */
const PART_OF_TIME = 0.2

/** Bodies that cost less than this go on at once, as the short body of a refused request does. */
const FREE_MS = 0.1

/** What a socket has delivered since it was last read. */
export interface ReadParts {
  parts: number
  bytes: number
}

/** Waits until a socket may be read again. Returns undefined if it may be read at once. */
export type WaitToRead = (socket: Socket, read: ReadParts) => Promise<void> | undefined

/**
 * Creates the turns in which bodies are read that cost much and bring little: bodies in short parts, and bodies that
 * continue after the response. Each pays for what it has cost with a pause, one after another, in rotation of networks.
 */
export function createReadingTurns(): WaitToRead {
  const turns = createFairSemaphore(1, { groupOf: networkOfOwner })
  return (socket, { parts, bytes }) => {
    const ms = parts * MS_PER_PART + (bytes / 2 ** 20) * MS_PER_MIB
    if (ms < FREE_MS) return undefined
    const { remoteAddress = '' } = socket
    const pause = async () => {
      if (!socket.destroyed) await delay(ms / PART_OF_TIME)
    }
    // The debts of the request that the socket carries have other bounds, and must not make this one wait or fail.
    return runForAll(() => turns.run(`${networkOf(remoteAddress)} ${remoteAddress}`, pause))
  }
}
