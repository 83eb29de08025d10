import type { Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { runForAll } from '../../concurrency/request-context.ts'
import { createFairSemaphore, networkOfOwner } from '../../concurrency/semaphore.ts'
import { networkOf } from '../../networks.ts'

/** What the event loop spends on a read, a part, however short it is, and a MiB. Measured with some margin. */
const MS_PER_READ = 0.02
const MS_PER_PART = 0.01
const MS_PER_MIB = 0.5

/** Reading may take this part of the time of the event loop. */
const PART_OF_TIME = 0.2

/** A turn takes time itself, so a body gets one for no less than this. */
const LEAST_MS = 0.1

/** What a socket has delivered since its last turn. */
export interface ReadParts {
  reads: number
  parts: number
  bytes: number
}

const costOf = ({ reads, parts, bytes }: ReadParts): number =>
  reads * MS_PER_READ + parts * MS_PER_PART + (bytes / 2 ** 20) * MS_PER_MIB

/** Tells whether a body has cost so much since its last turn that it must wait for the next one. */
export const needsTurn = (read: ReadParts): boolean => costOf(read) >= LEAST_MS

/** Waits until a socket may be read again. */
export type WaitToRead = (socket: Socket, read: ReadParts) => Promise<void>

/**
 * Creates the turns in which bodies are read that cost much and bring little: bodies in short parts, and bodies that
 * continue after the response. Each pays for what it has cost with a pause, one after another, in rotation of networks.
 */
export function createReadingTurns(): WaitToRead {
  const turns = createFairSemaphore(1, { groupOf: networkOfOwner })
  return (socket, read) => {
    const { remoteAddress = '' } = socket
    const pause = async () => {
      if (!socket.destroyed) await delay(costOf(read) / PART_OF_TIME)
    }
    // The debts of the request that the socket carries have other bounds, and must not make this one wait or fail.
    return runForAll(() => turns.run(`${networkOf(remoteAddress)} ${remoteAddress}`, pause))
  }
}
