import type { FastifyRequest } from 'fastify'
import type { App } from './core/app-type.ts'
import { httpProblems } from './core/problems.ts'

/**
 * Adds responses for known URLs with other methods: 405 with `Allow`, and a response to `OPTIONS`. All other requests
 * get 404.
 */
export function addMethodAnswers(app: App): void {
  const routes = new Map<string, { pattern: RegExp; methods: Set<string> }>()
  app.addHook('onRoute', ({ url, method }) => {
    const route = routes.get(url) ?? { pattern: toPattern(url), methods: new Set(['OPTIONS']) }
    for (const one of [method].flat()) route.methods.add(one)
    routes.set(url, route)
  })
  const allowed = (request: FastifyRequest): string[] => {
    const path = request.url.split('?', 1)[0] ?? ''
    const methods = [...routes.values()]
      .filter(({ pattern }) => pattern.test(path))
      .flatMap((route) => [...route.methods])
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
