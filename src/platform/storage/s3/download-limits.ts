import { createCounts } from '../../concurrency/counts.ts'
import type { RequestContext } from '../../concurrency/request-context.ts'
import { isShareOfVisitors, networkOfShare, shareOf } from '../../fair-share.ts'
import { storageUnavailable } from '../objects/problems.ts'

/** Number of connections for downloads by clients that are not redirected to S3. */
export const DOWNLOADS = 256

/**
 * Maximum number of concurrent downloads of one account, so that clients that do not read cannot delay other accounts.
 */
const DOWNLOADS_OF_ACCOUNT = 16

/**
 * The visitors of one network, because a client can have any number of accounts and IP addresses. Guests and new customers
 * are counted apart from callers without a credential.
 */
const DOWNLOADS_OF_NETWORK = (DOWNLOADS * 3) / 16

/** Visitors together leave half to customers with an order, because a client can have any number of networks. */
const DOWNLOADS_OF_VISITORS = DOWNLOADS / 2

/** Visitors and customers together leave some to staff. */
const DOWNLOADS_OF_CUSTOMERS = (DOWNLOADS * 7) / 8

type Caller = Pick<RequestContext, 'account' | 'share' | 'anonymousNetwork' | 'isCustomer'>

/** A name under which downloads are counted, how many it may have, and what a caller beyond them is told. */
type Limit = { name: string; most: number; refusal: string }

/**
 * Limits the concurrent downloads of accounts, of networks of visitors, and of all customers. The returned function counts
 * a download and returns a function that ends it. It throws if one of the limits of the caller is reached.
 */
export function createDownloadLimits(): (caller: Caller | undefined) => () => void {
  const running = createCounts()
  return (caller) => {
    const limits = caller === undefined ? [] : limitsOf(caller)
    for (const { name, most, refusal } of limits) {
      if (running.of(name) >= most) throw storageUnavailable(new Error(`too many downloads: ${name}`), refusal)
    }
    for (const { name } of limits) running.add(name, 1)
    let isEnded = false
    return () => {
      if (isEnded) return
      isEnded = true
      for (const { name } of limits) running.add(name, -1)
    }
  }
}

function limitsOf({ account, share, anonymousNetwork, isCustomer }: Caller): Limit[] {
  if (account === undefined) return []
  const ofAccount = {
    name: `account ${account}`,
    most: DOWNLOADS_OF_ACCOUNT,
    refusal: `This account has ${DOWNLOADS_OF_ACCOUNT} downloads in progress, which is the limit. Complete one of them first.`,
  }
  const name = share ?? shareOf(account)
  const isVisitor = anonymousNetwork !== undefined || isShareOfVisitors(name)
  if (!isVisitor && !isCustomer) return [ofAccount]
  const busy = 'Too many files are being downloaded at present. Try again later.'
  const ofCustomers = { name: 'customers', most: DOWNLOADS_OF_CUSTOMERS, refusal: busy }
  if (!isVisitor) return [ofAccount, ofCustomers]
  const network = {
    name: `network ${anonymousNetwork ?? networkOfShare(name)}`,
    most: DOWNLOADS_OF_NETWORK,
    refusal: 'Too many files are being downloaded from your network at present. Try again later.',
  }
  return [ofAccount, network, { name: 'visitors', most: DOWNLOADS_OF_VISITORS, refusal: busy }, ofCustomers]
}
