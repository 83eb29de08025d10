import { currentRequest, type RequestContext } from './request-context.ts'

/** Callers who have moved more bytes than they may (`TransferBudgets`). */
export interface Debts {
  /** Whether the caller of a request has to wait. */
  has(request: RequestContext): boolean
  /**
   * Waits until the caller may move bytes again.
   *
   * @param since when the request began to wait, in milliseconds of `performance.now()`
   * @throws {TransferLimited} if that would take longer than a statement may wait for a connection
   * @throws {ClientGone} if the client disconnects, and the request has not begun to write
   */
  untilPaid(request: RequestContext, since: number): Promise<void>
}

/**
 * Tells whether a request has to wait before it takes a turn. In a turn, it waits for no debt, because others
 * would wait for its turn all the while.
 */
export function hasDebt(request: RequestContext): boolean {
  return request.turns === 0 && request.debts?.has(request) === true
}

/** Runs work for which others wait. Its statements are charged, and do not wait for the debt of the caller. */
export async function runInTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const request = currentRequest()
  if (request === undefined) return work()
  request.turns += 1
  try {
    return await work()
  } finally {
    request.turns -= 1
  }
}
