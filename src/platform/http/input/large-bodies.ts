import type { Socket } from 'node:net'
import { setTimeout as delay, setImmediate as untilOthersHadTheirTurn } from 'node:timers/promises'
import type { FastifyRequest } from 'fastify'
import { ClientGone } from '../../concurrency/client-gone.ts'
import { createFairSemaphore, networkOfOwner } from '../../concurrency/semaphore.ts'
import { networkOf } from '../../networks.ts'
import { departureOf } from '../core/departure.ts'
import { accountOf } from '../core/principal.ts'

/**
 * Bodies below this size do not wait in the queue. Parsing and validating one takes a part of what the rest of a request
 * takes. Larger ones of one network, which can have 256 requests in flight, would together keep the event loop for long.
 */
export const LARGE_BODY_BYTES = 1024

/**
 * Bodies above this size have a queue of their own, because one of them can take as long as twenty ordinary designs. An
 * ordinary design would otherwise wait for one such body of each network.
 */
const VERY_LARGE_BODY_BYTES = 64 * 1024

/**
 * Maximum length of a pause. A pause usually lasts as long as the processing of the body; the limit keeps the queue
 * moving on a busy computer.
 */
const LONGEST_PAUSE_MS = 250

/** Returns the owner of a body: the network of the client, and the account, whose other bodies wait for each other. */
export const ownerOfBody = (request: Pick<FastifyRequest, 'principal' | 'ip'>): string =>
  `${networkOf(request.ip)} ${accountOf(request)}`

/**
 * Creates queues in which large bodies are parsed one after another, in rotation of networks and their accounts. Each
 * parse is followed by a pause of the same duration, in which other requests are handled. Very large bodies have a
 * separate queue.
 *
 * @returns a function that queues a body; its promise resolves when the body may be parsed, and rejects if the
 *   connection closes before that
 */
export function createLargeBodyQueue(): (owner: string, socket: Socket, bytes: number) => Promise<void> {
  const [large, veryLarge] = [createQueue(), createQueue()]

  return (owner, socket, bytes) =>
    new Promise((resolve, reject) => {
      let hasLeft = false
      // The body of a client that disconnects must not wait on, because it occupies memory.
      const stop = departureOf(socket)(() => {
        hasLeft = true
        reject(new ClientGone('body'))
      })
      const parse = async (): Promise<void> => {
        if (hasLeft) return
        stop()
        const begin = performance.now()
        resolve()
        // The caller parses and validates the body in this turn of the event loop, so the measured time includes both.
        await untilOthersHadTheirTurn()
        await delay(Math.min(performance.now() - begin, LONGEST_PAUSE_MS))
      }
      const queue = bytes > VERY_LARGE_BODY_BYTES ? veryLarge : large
      queue.run(owner, parse).catch((error: unknown) => {
        stop()
        reject(error)
      })
    })
}

const createQueue = () => createFairSemaphore(1, { groupOf: networkOfOwner })
