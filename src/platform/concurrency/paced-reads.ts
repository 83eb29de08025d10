import { setTimeout as delay } from 'node:timers/promises'
import { isShareOfVisitors, networkOfShare, shareOf } from '../fair-share.ts'
import { ClientGone } from './client-gone.ts'
import { createFairTurns } from './fair-turns.ts'
import { currentRequest } from './request-context.ts'
import { createKeyedSemaphore, networkOfOwner } from './semaphore.ts'

/** Reads that take less time are not followed by a pause. */
const QUICK_MS = 20
const LONGEST_PAUSE_MS = 250

/** Reads of the visitors of one network at a time, because a client may have any number of accounts. */
const OF_NETWORK = 2

/** The end of the name of an owner who has bought something. */
const ESTABLISHED = ' established'

const turns = createKeyedSemaphore()

/** A customer who reads pages of records. */
export interface Reader {
  account: string
  /** The share of the account (`FindShare`). Default: the one that follows from its id. */
  share?: string | undefined
}

/**
 * Reads the pages of one customer one after another, because a page of large records keeps a processor busy. The next
 * page of this customer starts after a pause as long as the read, in which others have the processor.
 */
export function readPaced<Page>(
  { account, share = shareOf(account) }: Reader,
  read: () => Promise<Page>,
): Promise<Page> {
  const { promise, resolve, reject } = Promise.withResolvers<Page>()
  const readAndRest = async (): Promise<void> => {
    const begin = performance.now()
    resolve(await read())
    const tookMs = performance.now() - begin
    if (tookMs > QUICK_MS) await delay(Math.min(tookMs, LONGEST_PAUSE_MS))
  }
  const readOfNetwork = () =>
    isShareOfVisitors(share) ? turns.run(networkOfShare(share), OF_NETWORK, readAndRest) : readAndRest()
  turns.run(account, 1, readOfNetwork).catch(reject)
  return promise
}

/**
 * Calls `readPaced` for the customer of the current request, or `readRecord` if the customer uses large records. The
 * pages of others are read at once.
 */
export function readPacedByCaller<Page>(read: () => Promise<Page>): Promise<Page> {
  const request = currentRequest()
  if (request?.account === undefined || !request.isCustomer) return read()
  if (request.sendsLargeBodies) return readRecord(read)
  return readPaced({ account: request.account, share: request.share }, () => {
    if (request.hasLeft?.() === true) throw new ClientGone('page')
    return read()
  })
}

/**
 * Turns of networks, then of the accounts of a network. Established customers come before guests and new customers, of
 * which a client may have any number.
 */
const largeReads = createFairTurns({
  longestMs: LONGEST_PAUSE_MS,
  groupOf: networkOfOwner,
  isPreferred: (owner) => owner?.endsWith(ESTABLISHED) === true,
})

/** Twice the time in which a megabyte is read, converted and written. */
const REST_MS_PER_BYTE = 60 / 1024 / 1024

/**
 * Reads one record for the caller of the current request. Customers who use large records read theirs one after another
 * in this process, each followed by a pause according to its size, because a client may have some accounts, and a record
 * of a megabyte keeps a processor busy for as long as a hundred ordinary ones.
 */
export async function readRecord<Result>(read: () => Promise<Result>): Promise<Result> {
  const request = currentRequest()
  if (request?.account === undefined || !request.sendsLargeBodies) return read()
  const { account, share = shareOf(account), networkOfLarge = networkOfShare(share) } = request
  const owner = `${networkOfLarge} ${account}${isShareOfVisitors(share) ? '' : ESTABLISHED}`
  const notedBefore = request.notedBytes
  const readOne = async (): Promise<Result> => {
    if (request.hasLeft?.() === true) throw new ClientGone('record')
    return read()
  }
  return largeReads.run(owner, readOne, () => (request.notedBytes - notedBefore) * REST_MS_PER_BYTE)
}
