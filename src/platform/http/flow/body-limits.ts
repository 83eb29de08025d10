import { Transform } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { App } from '../core/app-type.ts'
import { httpProblems } from '../core/problems.ts'

/** The limit for bodies of requests without a valid credential. Sign-ins and registrations have far smaller ones. */
export const ANONYMOUS_BODY_BYTES = 32 * 1024

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Replaces `ANONYMOUS_BODY_BYTES`, for routes whose senders sign the body instead of sending a credential. */
    anonymousBodyBytes?: number
  }
}

/** Returns how many bytes the body of a request may have. */
export function bodyLimitOf(
  { principal }: Pick<FastifyRequest, 'principal'>,
  { bodyLimit = 0, config }: Pick<FastifyRequest['routeOptions'], 'bodyLimit' | 'config'>,
): number {
  return principal === undefined ? Math.min(bodyLimit, config.anonymousBodyBytes ?? ANONYMOUS_BODY_BYTES) : bodyLimit
}

/**
 * Limits the bodies of anonymous callers. The limit applies after the guard of the route, so that a client whose token
 * has expired gets 401.
 */
export function limitAnonymousBodies(app: App): void {
  app.addHook('preParsing', (request, reply, payload, done) => {
    if (request.principal !== undefined) return done()
    const limit = bodyLimitOf(request, request.routeOptions)
    const tooLarge = () => {
      // The client may still be sending the rest.
      reply.header('Connection', 'close')
      return httpProblems.body_too_large(`Without a valid credential, the body can have up to ${limit} bytes.`)
    }
    if (Number(request.headers['content-length'] ?? 0) > limit) throw tooLarge()
    if (request.headers['transfer-encoding'] === undefined) return done()
    let bytes = 0
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, pass) => {
        bytes += chunk.length
        if (bytes > limit) pass(tooLarge())
        else pass(null, chunk)
      },
    })
    // `pipeline` would destroy the connection, which still has to carry the response.
    payload.once('error', (error) => counted.destroy(error))
    done(null, payload.pipe(counted))
  })
}
