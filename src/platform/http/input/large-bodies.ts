import type { Socket } from 'node:net'
import { setTimeout as delay, setImmediate as untilOthersHadTheirTurn } from 'node:timers/promises'
import { createFairQueue } from '../../concurrency/fair-queue.ts'

/** Parsing and validating a smaller body takes about 1 ms, and a caller may send 64 such bodies at once. */
export const LARGE_BODY_BYTES = 8 * 1024

/** A pause usually lasts as long as the processing of the body. The limit keeps the queue moving on a busy computer. */
const LONGEST_PAUSE_MS = 250

interface WaitingBody {
  /** A user id, or the key of an IP address. */
  owner: string
  begin: () => void
}

/**
 * Creates a queue in which large bodies are parsed one after another, with accounts in turn. Each parse is followed by
 * a pause of the same duration. Large bodies therefore take at most half of the event loop, and other requests are
 * handled in the pauses.
 *
 * @returns a function that resolves when the body may be parsed, and rejects if the connection closes before
 */
export function createLargeBodyQueue(): (owner: string, socket: Socket) => Promise<void> {
  const queue = createFairQueue<WaitingBody>()
  let isRunning = false

  const run = async () => {
    isRunning = true
    for (let next = queue.take(); next !== undefined; next = queue.take()) {
      const begin = performance.now()
      next.begin()
      // Validation follows in the same turn of the event loop and is part of the measured time.
      await untilOthersHadTheirTurn()
      await delay(Math.min(performance.now() - begin, LONGEST_PAUSE_MS))
    }
    isRunning = false
  }

  return (owner, socket) =>
    new Promise((resolve, reject) => {
      // Bodies of clients that disconnect must leave the queue, because they occupy memory.
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
