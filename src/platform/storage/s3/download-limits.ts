import { createCounts } from '../../concurrency/counts.ts'
import { isShareOfVisitors } from '../../fair-share.ts'
import { storageUnavailable } from '../objects/problems.ts'

/** Number of connections for downloads by clients that are not redirected to S3. */
export const DOWNLOADS = 256

/**
 * Maximum number of concurrent downloads of one account, so that clients that do not read cannot delay other accounts.
 */
const DOWNLOADS_OF_ACCOUNT = 16

/** Visitors without an account together leave half, because a client can have any number of IP addresses. */
const DOWNLOADS_OF_VISITORS = DOWNLOADS / 2
const VISITORS = 'visitors'

/**
 * Limits the concurrent downloads of each account. The returned function counts a download and returns a function that
 * ends it. It throws if the account is at its limit.
 */
export function createDownloadLimits(): (account: string | undefined) => () => void {
  const running = createCounts()
  return (account = '') => {
    const counted = isShareOfVisitors(account) ? [account, VISITORS] : [account]
    if (account !== '' && running.of(account) >= DOWNLOADS_OF_ACCOUNT) {
      throw storageUnavailable(
        new Error('too many downloads of one account'),
        `This account has ${DOWNLOADS_OF_ACCOUNT} downloads in progress, which is the limit. Complete one of them first.`,
      )
    }
    if (counted.length > 1 && running.of(VISITORS) >= DOWNLOADS_OF_VISITORS) {
      throw storageUnavailable(
        new Error('too many downloads of visitors'),
        'Too many visitors are downloading files. Try again later, or sign in.',
      )
    }
    for (const key of counted) running.add(key, 1)
    let isEnded = false
    return () => {
      if (isEnded) return
      isEnded = true
      for (const key of counted) running.add(key, -1)
    }
  }
}
