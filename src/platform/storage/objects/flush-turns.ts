import { currentRequest } from '../../concurrency/request-context.ts'
import { createFairSemaphore } from '../../concurrency/semaphore.ts'
import { isShareOfVisitors, networkOfShare, shareOf } from '../../fair-share.ts'

/** Separates the group of an owner from its account. No id and no network contains it. */
const SEPARATOR = '|'

/** Runs flushes of files one after another. */
export interface FlushTurns {
  /** Runs a flush for the caller of the current request, or for the service itself. */
  run<Result>(flush: () => Promise<Result>): Promise<Result>
}

/**
 * Creates turns of customers and of the networks of visitors, then of the accounts of a network. The disk writes the log
 * of the database only after the flushes that were requested before, so one account with many large files would delay the
 * commits of all others.
 */
export function createFlushTurns(): FlushTurns {
  const turns = createFairSemaphore(1, { groupOf: (owner) => owner?.split(SEPARATOR, 1)[0] })
  return { run: (flush) => turns.run(ownerOfCaller(), flush) }
}

function ownerOfCaller(): string | undefined {
  const { account, share, anonymousNetwork } = currentRequest() ?? {}
  if (account === undefined) return undefined
  const name = share ?? shareOf(account)
  const group = anonymousNetwork ?? (isShareOfVisitors(name) ? networkOfShare(name) : account)
  return `${group}${SEPARATOR}${account}`
}
