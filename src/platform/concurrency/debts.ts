import { currentRequest, type RequestContext } from './request-context.ts'

/**
 * Tells whether a request has to wait before it takes a turn. In a turn, it waits for no debt, because others would wait for
 * its turn all the while.
 */
export function hasDebt(request: RequestContext): boolean {
  return request.turns === 0 && request.debts?.has(request) === true
}

/** Runs work for which others wait. Its statements are charged, and do not wait for the debt of the caller. */
export function runInTurn<Result>(work: () => Promise<Result>): Promise<Result> {
  const request = currentRequest()
  return request === undefined ? work() : runInTurnOf(request, work)
}

async function runInTurnOf<Result>(request: RequestContext, work: () => Promise<Result>): Promise<Result> {
  request.turns += 1
  try {
    return await work()
  } finally {
    request.turns -= 1
  }
}
