import { AsyncLocalStorage } from 'node:async_hooks'
import type { Span } from '../telemetry/span.ts'

/** Data that all calls and promises of one request share. */
export interface RequestContext {
  /**
   * The account whose limits the request counts against. Undefined before the account is known, and after the response.
   */
  account: string | undefined
  /** Whether the client has disconnected. Undefined outside of requests. */
  hasLeft?: (() => boolean) | undefined
  /** Calls a function when the client disconnects. Returns a function that prevents this. Undefined outside of requests. */
  onLeave?: ((listener: () => void) => () => void) | undefined
  /** Whether a statement or transaction of the request that may write has got a connection. */
  hasBegunToWrite: boolean
  /** The share of processes of a customer with an account (`FindShare`). Undefined for others. */
  share?: string | undefined
  /** The network of a caller without a valid credential, as `networkOf` returns it. */
  anonymousNetwork?: string | undefined
  /** Whether the request signs in or refreshes a session, which moves few bytes and has limits of its own. */
  signsIn: boolean
  /** The id of the request and the operation that it calls, for the log. */
  requestId?: string | undefined
  operation?: string | undefined
  /** Undefined if traces are not recorded. */
  span?: Span | undefined
  /** Whether the account is a customer. Customers get smaller shares than operators and administrators. */
  isCustomer: boolean
  /**
   * Whether the account sent a large body or used a large record lately, so that its statements may take long. Never true
   * for staff.
   */
  sendsLargeBodies: boolean
  /** The network of the client of such an account, as `networkOf` returns it. */
  networkOfLarge?: string | undefined
  /** The bytes of the records that the request has read, as far as they were noted. */
  notedBytes: number
  /** Records that the request has read a record of this size. */
  noteSize?: ((bytes: number) => void) | undefined
  connections: number
  /** The bytes that its statements have moved, and those of them that are charged (`TransferBudgets`). */
  movedBytes: number
  chargedBytes: number
  /** The debts of callers. Undefined if they may move any number of bytes. */
  debts?: Debts | undefined
  /** The turns that the request has, for which others wait (`runInTurn`). */
  turns: number
  /**
   * Called whenever the request has got a connection for a statement or transaction that may write. If it rejects, the
   * statement does not run and rejects with the same error.
   */
  beforeWriting?: (() => Promise<void>) | undefined
}

/** Callers who have moved more bytes than they may (`TransferBudgets`). */
export interface Debts {
  /** Whether the caller of a request has to wait. */
  has(request: RequestContext): boolean
  /**
   * Waits until the caller may move bytes again.
   *
   * @throws {TransferLimited} if that would take longer than a statement may wait for a connection
   * @throws {ClientGone} if the client disconnects, and the request has not begun to write
   */
  untilPaid(request: RequestContext): Promise<void>
}

const storage = new AsyncLocalStorage<RequestContext | undefined>()

/** Creates a context with all members, because an object that gets more of them later is slow for V8. */
export function createRequestContext(): RequestContext {
  return {
    account: undefined,
    hasLeft: undefined,
    onLeave: undefined,
    hasBegunToWrite: false,
    share: undefined,
    anonymousNetwork: undefined,
    signsIn: false,
    requestId: undefined,
    operation: undefined,
    span: undefined,
    isCustomer: false,
    sendsLargeBodies: false,
    networkOfLarge: undefined,
    notedBytes: 0,
    noteSize: undefined,
    connections: 0,
    movedBytes: 0,
    chargedBytes: 0,
    debts: undefined,
    turns: 0,
    beforeWriting: undefined,
  }
}

/** @param context undefined for work outside of requests */
export function runInRequest<Result>(context: RequestContext | undefined, work: () => Result): Result {
  return storage.run(context, work)
}

/** Returns the context of the current request. Undefined in jobs and in other work of the service itself. */
export function currentRequest(): RequestContext | undefined {
  return storage.getStore()
}

/**
 * Runs work that undoes what the current request has written, after any failure. Unlike other writes of the request, it
 * runs even if too little disk space is free, the client has disconnected or the caller is in debt, which may have been the
 * failure.
 */
export function runUndo<Result>(undo: () => Result): Result {
  const request = storage.getStore()
  if (request === undefined) return undo()
  const { turns } = request
  const context = { ...request, turns: turns + 1, beforeWriting: undefined, hasLeft: undefined, onLeave: undefined }
  return storage.run(context, undo)
}

/**
 * Records that the current request has read a record of this size.
 *
 * @param ofAll the bytes of all records that it has read at once
 */
export function noteSize(bytes: number, ofAll = bytes): void {
  const request = currentRequest()
  if (request === undefined) return
  request.notedBytes += ofAll
  request.noteSize?.(bytes)
}

/**
 * Runs work outside the context of the current request, such as a shared look-up or a loop that a request has started.
 * Otherwise the work would wait in the queue of the account whose request started it.
 */
export function runForAll<Result>(work: () => Result): Result {
  return storage.exit(work)
}
