import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import { publicRoute } from '../platform/http/core/guard.ts'
import { httpProblems } from '../platform/http/core/problems.ts'
import type { App } from '../platform/http/server.ts'
import { type AppDeps, appRoutes } from './apps/routes.ts'
import type { DocsDeps } from './docs/build-docs.ts'
import { docsRoutes } from './docs-routes.ts'
import { homePage } from './home-page.ts'
import type { SiteSettings } from './layout.ts'
import { madeFrom } from './made-from.ts'
import { FOREVER, sendPage } from './page-routes.ts'
import { htmlPage, storedPage } from './pages.ts'
import { type ProblemContent, problemIndex, problemPage } from './problem-pages.ts'
import { LanguageQuery, type ShopPages } from './shop/page-routes.ts'
import { STYLESHEET } from './stylesheet.ts'

export interface SiteDeps extends Omit<DocsDeps, 'settings'>, AppDeps {
  /** Returns the same settings until they have changed. */
  settings(): SiteSettings
}

const CodeParams = Type.Object({ code: Type.String() })
const options = { onRequest: publicRoute, schema: { hide: true } }

/** Adds the pages for people: the shop, the page for developers, the documentation and the pages of errors. */
export function siteRoutes(app: App, deps: SiteDeps): void {
  const { settings } = deps
  const home = madeFrom(settings, (present) => htmlPage(homePage(present), present))
  app.get('/developers', options, async (request, reply) => sendPage(request, reply, home()))
  const pages = appRoutes(app, deps)
  assetRoutes(app)
  problemRoutes(app, (content) => inShopLook(content, settings, pages))
  docsRoutes(app, deps)
}

function assetRoutes(app: App): void {
  const css = storedPage('text/css; charset=utf-8', STYLESHEET.css)
  const icon = storedPage('image/svg+xml', STYLESHEET.icon)
  app.get(STYLESHEET.path, options, async (request, reply) => sendPage(request, reply, css, FOREVER))
  app.get(STYLESHEET.iconPath, options, async (request, reply) => sendPage(request, reply, icon, FOREVER))
}

/** Renders the pages of errors with the first request, because features register errors until the service is complete. */
function problemRoutes(app: App, toPage: (content: ProblemContent) => PreparedPage): void {
  const pages = new Map<string, PreparedPage>()
  let index: PreparedPage | undefined
  app.get('/problems', { ...options, schema: { hide: true, querystring: LanguageQuery } }, async (request, reply) => {
    index ??= toPage(problemIndex())
    return index(request, reply)
  })
  app.get(
    '/problems/:code',
    { ...options, schema: { hide: true, params: CodeParams, querystring: LanguageQuery } },
    async (request, reply) => {
      const { code } = request.params as Static<typeof CodeParams>
      const content = problemPage(code)
      if (content === undefined) throw httpProblems.not_found()
      const page = pages.get(code) ?? toPage(content)
      pages.set(code, page)
      return page(request, reply)
    },
  )
}

/** Sends a page whose content never changes, in the present look of the shop. */
type PreparedPage = (request: FastifyRequest, reply: FastifyReply) => FastifyReply

/**
 * Puts documentation into the frame of the shop, which has the language of the reader. The documentation is in English.
 * Without a build of the shop, the page has the look of the documentation.
 */
function inShopLook(content: ProblemContent, settings: () => SiteSettings, pages: ShopPages | undefined): PreparedPage {
  if (pages === undefined) {
    const page = madeFrom(settings, (present) => htmlPage(content, present))
    return (request, reply) => sendPage(request, reply, page())
  }
  const main = `<div class="page" lang="en">\n${content.main}\n</div>`
  const pageIn = pages.prepare(({ shopName }) => {
    const title = `${content.title} – ${shopName}`
    return { title, main, isStatic: true, canonical: content.path }
  })
  return (request, reply) => pages.send(request, reply, pageIn)
}
