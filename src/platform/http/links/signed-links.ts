import type { FastifyReply, FastifyRequest } from 'fastify'
import { addSeconds, type Clock } from '../../clock.ts'
import type { Signer } from '../../cryptography/signer.ts'
import { defineProblems, Problem } from '../../problem.ts'
import { defineGuard, type Guard } from '../core/guard.ts'

const linkProblems = defineProblems({
  link_invalid: {
    status: 403,
    title: 'Link expired or not valid',
    help: 'The link has expired, was changed, or its record was deleted, archived or erased. Ask its sender for a new link.',
  },
})

const SIGNATURE = /&signature=([A-Za-z0-9_-]{43})$/

export interface SignedLinksDeps {
  signer: Signer
  clock: Clock
  /** `{origin}`. A proxy may change it, so signatures do not cover it. */
  origin: string
}

/** URLs that give everyone who has them one file for a limited time. No record of a link is stored. */
export interface SignedLinks {
  /**
   * Makes a link to a route that has the guard of these links.
   *
   * @param path of the route, with URL-safe parameters
   */
  make(path: string, options: { query?: Record<string, string>; lifeSeconds: number }): { url: string; expiresAt: Date }
  /**
   * Admits only URLs that `make` has made and that have not expired. It runs before the validation of the request, so a
   * changed parameter is always `link_invalid`.
   */
  guard: Guard
  /** Returns how many seconds the link of a guarded request is still valid. */
  remainingSeconds(request: FastifyRequest): number
}

/** The signature covers path and query as the client sends them, character by character. */
export function createSignedLinks({ signer, clock, origin }: SignedLinksDeps): SignedLinks {
  const remainingSeconds = ({ url }: Pick<FastifyRequest, 'url'>): number => {
    const expires = Number(new URLSearchParams(url.slice(url.indexOf('?'))).get('expires'))
    return Math.floor((expires - clock.now().getTime()) / 1000)
  }
  return {
    make: (path, { query = {}, lifeSeconds }) => {
      const expiresAt = addSeconds(clock.now(), lifeSeconds)
      const search = new URLSearchParams({ ...query, expires: String(expiresAt.getTime()) })
      const text = `/v1${path}?${search}`
      return { url: `${origin}${text}&signature=${signer.sign(text)}`, expiresAt }
    },
    guard: defineGuard({ kind: 'public' }, async (request) => {
      const { url } = request
      const [end = '', signature = ''] = SIGNATURE.exec(url) ?? []
      const isOurs = signer.isValid(url.slice(0, url.length - end.length), signature)
      // The last second of a link has the remaining time 0.
      if (!isOurs || remainingSeconds(request) < 0) throw linkProblems.link_invalid()
    }),
    remainingSeconds,
  }
}

/**
 * Prepares the response to a link. Pages of other sites may show the file, also pages that load only files that allow
 * it (`Cross-Origin-Embedder-Policy`).
 */
export function allowEmbedding(reply: FastifyReply): void {
  reply.header('Cross-Origin-Resource-Policy', 'cross-origin')
}

/** Finds what a link leads to. Without a result, the link is invalid. */
export async function requireLinked<Found>(finding: Promise<Found | undefined>): Promise<Found> {
  const found = await finding.catch((error: unknown) => {
    // Other errors are no statement about the link, such as a database that does not respond.
    if (error instanceof Problem && error.status < 500) throw linkProblems.link_invalid()
    throw error
  })
  if (found === undefined) throw linkProblems.link_invalid()
  return found
}
