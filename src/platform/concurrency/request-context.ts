import { AsyncLocalStorage } from 'node:async_hooks'

/** Data that all calls and promises of one request share. */
export interface RequestContext {
  /**
   * The account whose limits the request counts against. Undefined before the account is known, and after the response.
   */
  account: string | undefined
  /** Whether the account is a customer. Customers get smaller shares than operators and administrators. */
  isCustomer: boolean
  connections: number
}

const storage = new AsyncLocalStorage<RequestContext>()

export function createRequestContext(): RequestContext {
  return { account: undefined, isCustomer: false, connections: 0 }
}

export function runInRequest<Result>(context: RequestContext, work: () => Result): Result {
  return storage.run(context, work)
}

/** Returns the context of the current request. Undefined in jobs and in other work of the service itself. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore()
}

/**
 * Runs work outside the context of the current request, such as a shared look-up or a loop that a request has started.
 * Otherwise the work would wait in the queue of the account whose request started it.
 */
export function runForAll<Result>(work: () => Result): Result {
  return storage.exit(work)
}
