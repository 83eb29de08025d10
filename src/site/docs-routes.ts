import { type Static, Type } from 'typebox'
import { publicRoute } from '../platform/http/core/guard.ts'
import { httpProblems } from '../platform/http/core/problems.ts'
import type { App } from '../platform/http/server.ts'
import { buildDocs, type Docs, type DocsDeps } from './docs/build-docs.ts'
import { searchHtml } from './docs/search.ts'
import type { SiteSettings } from './layout.ts'
import { madeFrom } from './made-from.ts'
import { sendPage } from './page-routes.ts'
import { htmlPage } from './pages.ts'

const SearchQuery = Type.Object({ q: Type.Optional(Type.String({ maxLength: 1000 })) })
const options = { onRequest: publicRoute, schema: { hide: true } }

/** Adds the documentation. The first request builds all pages; later ones get them from memory until the shop changes. */
export function docsRoutes(app: App, deps: Omit<DocsDeps, 'settings'> & { settings(): SiteSettings }): void {
  const build = madeFrom(deps.settings, (settings) => once(() => buildDocs({ ...deps, settings })))
  const docs = () => build()()
  for (const path of ['/docs', '/docs/*', '/llms.txt']) {
    app.get(path, options, async (request, reply) => {
      const path = request.url.replace(/\/?(\?.*)?$/, '')
      const page = (await docs()).pages.get(path)
      if (page === undefined) throw httpProblems.not_found()
      return sendPage(request, reply, page)
    })
  }
  app.get('/docs/search', { ...options, schema: { hide: true, querystring: SearchQuery } }, async (request, reply) => {
    const { q = '' } = request.query as Static<typeof SearchQuery>
    const { index, contents } = await docs()
    return sendPage(
      request,
      reply,
      htmlPage({ title: 'Search', main: searchHtml(index, q), contents }, deps.settings()),
    )
  })
}

/** Requests that arrive during the build wait for it. A failed build is repeated with the next request. */
function once(build: () => Promise<Docs>): () => Promise<Docs> {
  let built: Promise<Docs> | undefined
  return () => {
    built ??= build().catch((error: unknown) => {
      built = undefined
      throw error
    })
    return built
  }
}
