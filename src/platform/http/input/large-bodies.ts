import type { Socket } from 'node:net'
import { setTimeout as delay, setImmediate as untilOthersHadTheirTurn } from 'node:timers/promises'
import { createFairQueue } from '../../concurrency/fair-queue.ts'

/**
 * Bodies below this size do not wait in the queue. Parsing and validating one takes about 1 ms, and a caller can send
 * 64 such bodies at once.
 */
export const LARGE_BODY_BYTES = 8 * 1024

/**
 * Maximum length of a pause. A pause usually lasts as long as the processing of the body; the limit keeps the queue
 * moving on a busy computer.
 */
const LONGEST_PAUSE_MS = 250

interface WaitingBody {
  /** A user id, or the key of an IP address. */
  owner: string
  begin: () => void
}

/**
 * Creates a queue in which large bodies are parsed one after another, in rotation of accounts. Each parse is followed
 * by a pause of the same duration. Large bodies therefore take at most half of the event loop, and other requests are
 * handled in the pauses.
 *
 * @returns a function that queues a body; its promise resolves when the body may be parsed, and rejects if the
 *   connection closes before that
 */
export function createLargeBodyQueue(): (owner: string, socket: Socket) => Promise<void> {
  const queue = createFairQueue<WaitingBody>()
  let isRunning = false

  const run = async () => {
    isRunning = true
    for (let next = queue.take(); next !== undefined; next = queue.take()) {
      const begin = performance.now()
      next.begin()
      // The caller parses and validates the body in this turn of the event loop, so the measured time includes both.
      await untilOthersHadTheirTurn()
      await delay(Math.min(performance.now() - begin, LONGEST_PAUSE_MS))
    }
    isRunning = false
  }

  return (owner, socket) =>
    new Promise((resolve, reject) => {
      // Bodies of clients that disconnect must leave the queue, because they occupy memory.
      const leave = () => {
        if (queue.remove(waiting)) reject(new Error('the client disconnected while its body waited'))
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
