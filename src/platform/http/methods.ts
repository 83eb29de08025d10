import type { FastifyRequest } from 'fastify'
import type { App } from './core/app-type.ts'
import { httpProblems } from './core/problems.ts'

/**
 * Adds responses for known URLs with other methods: 405 with `Allow`, and a response to `OPTIONS`. All other requests
 * get 404.
 */
export function addMethodAnswers(app: App): void {
  const routes = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    const methods = routes.get(url) ?? new Set(['OPTIONS'])
    for (const one of [method].flat()) methods.add(one)
    routes.set(url, methods)
  })
  // The patterns are made for the first unknown URL, because a start takes noticeably longer with them.
  let patterns: (readonly [RegExp, ReadonlySet<string>])[] | undefined
  const allowed = (request: FastifyRequest): string[] => {
    const path = request.url.split('?', 1)[0] ?? ''
    patterns ??= [...routes].map(([url, methods]) => [toPattern(url), methods])
    const methods = patterns.filter(([pattern]) => pattern.test(path)).flatMap(([, those]) => [...those])
    return [...new Set(methods)].sort()
  }
  app.setNotFoundHandler(async (request, reply) => {
    const methods = allowed(request)
    // TRACE is rejected for every URL, because it would only repeat headers that a proxy has added.
    if (methods.length === 0 && request.method !== 'TRACE') throw httpProblems.not_found()
    reply.header('Allow', methods.join(', '))
    if (request.method === 'OPTIONS') return reply.code(204).send()
    throw httpProblems.method_not_allowed()
  })
}

function toPattern(url: string): RegExp {
  const escaped = url
    .replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '.*')
    .replaceAll(/:[A-Za-z]+/g, '[^/]+')
  return new RegExp(`^${escaped}$`)
}
