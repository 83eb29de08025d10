import { pipeline, type Readable, Transform } from 'node:stream'
import { currentRequest } from '../../concurrency/request-context.ts'
import type { TransferBudgets } from '../../db/admission/transfer-budgets.ts'

/**
 * Returns a stream of the same bytes, as fast as the caller of the current request may read files. A stream that has a pace
 * already is returned as it is.
 */
export type PaceDownload = (file: Readable) => Readable

/**
 * Bounds how fast callers read files. One account with many downloads could otherwise keep the processors busy.
 *
 * @param budgets those of `fileRates`. Undefined: downloads are not limited
 */
export function createDownloadPace(budgets: TransferBudgets | undefined): PaceDownload {
  const isPaced = new WeakSet<Readable>()
  return (file) => {
    if (isPaced.has(file)) return file
    const request = currentRequest()
    // Found before the response begins, because the context has no account after it.
    const payer = request === undefined ? undefined : budgets?.payerOf(request)
    if (payer === undefined) return file
    let waiting: NodeJS.Timeout | undefined
    const paced = new Transform({
      // Holds one part of the file, because the memory for responses does not count it.
      writableHighWaterMark: 1,
      transform: (part: Buffer, _encoding, done) => {
        payer.charge(part.length)
        const waitMs = payer.waitMs()
        if (waitMs === 0) return done(null, part)
        payer.note('waits')
        waiting = setTimeout(done, waitMs, null, part)
      },
      // Otherwise the timer would keep the part of a client that has left.
      destroy: (error, done) => {
        clearTimeout(waiting)
        done(error)
      },
    })
    // Ends both streams when one of them fails. The reader of the paced stream gets the error.
    pipeline(file, paced, () => undefined)
    isPaced.add(paced)
    return paced
  }
}
