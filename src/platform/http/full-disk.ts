import type { App } from './core/app-type.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /**
     * Customers and anonymous callers can use this route while too little disk space is free. For what they must always
     * be able to do (signing in, paying, cancelling), as far as one request adds a few small rows at most.
     */
    worksWhenDiskIsFull?: boolean
    /** A `GET` of this route adds rows on each request, so that it is refused like a `POST`. */
    addsRecords?: boolean
  }
}

/** Methods of requests that may add something. Deleting always works. */
const ADDING_METHODS = new Set(['POST', 'PUT', 'PATCH'])

/**
 * Refuses requests that would add rows or files while too little disk space is free: the database needs the rest to go
 * on, and even to start again. Operators and administrators are not refused, since they have to resolve it.
 *
 * @param requireFree see `FreeDisk`
 */
export function keepDiskFree(app: App, requireFree: () => Promise<void>): void {
  // After the guard of the route, so that a caller learns first what is wrong with the credential; before the body.
  app.addHook('preParsing', async ({ method, is404, principal, routeOptions: { config } }) => {
    const isBounded = principal === undefined || principal.role === 'customer'
    const isAdding = ADDING_METHODS.has(method) || config.addsRecords === true
    const mayAdd = isAdding && !is404 && config.worksWhenDiskIsFull !== true
    if (isBounded && mayAdd) await requireFree()
  })
}
