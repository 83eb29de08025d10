import type { FastifyRequest } from 'fastify'
import type { RequestContext } from '../concurrency/request-context.ts'
import { type FindShare, isShareOfVisitors, shareOf } from '../fair-share.ts'
import type { App } from './core/app-type.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Whether customers and anonymous callers can use this route even if too little disk space is free. For operations
     * that must always work, such as signing out, if one request adds only a few small rows, and its credential bounds
     * their number. `to_half`: until only half of the minimum is free, and not for guests, of which a client may open
     * any number. For operations that should work longer than others, such as cancellation, but add an event with a whole
     * order or design. `to_quarter`: until a quarter is free. For sign-ins, of which anyone can send any number, and of
     * which each adds rows.
     */
    worksWhenDiskIsFull?: boolean | keyof typeof SHARES
    /** Whether a `GET` or `DELETE` of this route adds rows, so that it is rejected like a `POST`. */
    addsRecords?: boolean
  }
}

/** The share of the minimum until which such routes work. */
const SHARES = { to_half: 0.5, to_quarter: 0.25 }

/** As in `FreeDisk`. */
export type RequireFree = (options?: { isVisitor?: () => Promise<boolean>; enough?: number }) => Promise<void>

/** Methods of requests that may add data. Deleting always works, unless its route adds records. */
const ADDING_METHODS = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Rejects requests that would add rows or files while too little disk space is free. The database needs the remaining
 * space to continue, and even to start again. Operators and administrators are not rejected, because they have to
 * resolve the situation.
 *
 * @param requireFree see `FreeDisk`
 * @param findShare finds the share of a user, as `createShares` does
 */
export function keepDiskFree(app: App, requireFree: RequireFree, findShare: FindShare = shareOf): void {
  // This hook runs after the guard of the route, so that an invalid credential is reported first, and before the body
  // is read.
  app.addHook('preParsing', (request, _reply, _payload, done) => {
    const { method, is404, principal } = request
    const isBounded = principal === undefined || principal.role === 'customer'
    const isAdding = ADDING_METHODS.has(method) || request.routeOptions.config.addsRecords === true
    if (!isBounded || !isAdding || is404) return done()
    requireFreeFor(request).then(() => done(), done)
  })

  const requireFreeFor = async ({ principal, context, routeOptions: { config } }: FastifyRequest): Promise<void> => {
    const { worksWhenDiskIsFull: works = false } = config
    if (works === true) return
    const enough = works === false ? 1 : SHARES[works]
    // New customers count as visitors too, but not where an operation works longer than others: there they pay.
    const isVisitor = async () => {
      if (principal === undefined || principal.kind === 'guest') return principal !== undefined
      return works === false && isShareOfVisitors(await findShare(principal.userId))
    }
    const check = () => requireFree({ isVisitor, enough })
    await check()
    // Many requests may pass the check at once and then wait for their body or a connection. An operation that works
    // longer than others may have charged a customer in the meantime, so it is not interrupted.
    if (works === false) context.beforeWriting = () => checkUntilRefused(context, check)
  }
}

/** After the first refusal, the request may undo what it has written before. */
async function checkUntilRefused(context: RequestContext, check: () => Promise<void>): Promise<void> {
  try {
    await check()
  } catch (error) {
    context.beforeWriting = undefined
    throw error
  }
}
