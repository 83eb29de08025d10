import type { Socket } from 'node:net'
import { setTimeout as delay, setImmediate as untilOthersHadTheirTurn } from 'node:timers/promises'
import { createFairQueue } from '../../concurrency/fair-queue.ts'

/** Parsing and validating a smaller body takes about 1 ms, and a caller may send 64 of them at once. */
export const LARGE_BODY_BYTES = 8 * 1024

/** A pause lasts as long as the body took, but a busy machine must not make the queue stand still. */
const LONGEST_PAUSE_MS = 250

interface WaitingBody {
  /** User id, or the key of an IP address. */
  owner: string
  begin: () => void
}

/**
 * Lets large bodies be parsed one after the other, each account's in turn, with a pause as long as the last one took.
 * Large bodies therefore take at most half of the event loop, however many arrive at once, and every other request is
 * handled between two of them.
 *
 * @returns a function that resolves when the body may be parsed and rejects if the connection closes before
 */
export function createLargeBodyQueue(): (owner: string, socket: Socket) => Promise<void> {
  const queue = createFairQueue<WaitingBody>()
  let isRunning = false

  const run = async () => {
    isRunning = true
    for (let next = queue.take(); next !== undefined; next = queue.take()) {
      const begin = performance.now()
      next.begin()
      // Validation, which follows in the same turn of the event loop, is part of the measured time.
      await untilOthersHadTheirTurn()
      await delay(Math.min(performance.now() - begin, LONGEST_PAUSE_MS))
    }
    isRunning = false
  }

  return (owner, socket) =>
    new Promise((resolve, reject) => {
      // The queue must not keep the bodies of clients that send and disconnect.
      const leave = () => {
        if (queue.remove(waiting)) reject(new Error('The client disconnected while its body waited'))
      }
      const waiting: WaitingBody = {
        owner,
        begin: () => {
          socket.off('close', leave)
          resolve()
        },
      }
      socket.once('close', leave)
      queue.add(waiting)
      if (!isRunning) void run()
    })
}
