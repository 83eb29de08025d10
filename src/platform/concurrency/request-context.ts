import { AsyncLocalStorage } from 'node:async_hooks'

/** What the work of one request shares, through all its calls and promises. */
export interface RequestContext {
  /** The account that the request counts against; undefined until it is known, and again after the response. */
  account: string | undefined
  /** Customers get smaller shares than staff. */
  isCustomer: boolean
  /** Database connections that the request holds. */
  connections: number
}

const storage = new AsyncLocalStorage<RequestContext>()

export function createRequestContext(): RequestContext {
  return { account: undefined, isCustomer: false, connections: 0 }
}

/** Runs work as a part of a request. */
export function runInRequest<Result>(context: RequestContext, work: () => Result): Result {
  return storage.run(context, work)
}

/** The context of the present request; undefined in jobs and other work of the service itself. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore()
}

/**
 * Runs work on behalf of all, such as a shared look-up or a loop that a request has woken. Otherwise it would wait in the
 * queue of the account whose request started it.
 */
export function runForAll<Result>(work: () => Result): Result {
  return storage.exit(work)
}
