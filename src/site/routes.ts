import { type Static, Type } from 'typebox'
import type { Db } from '../platform/db/index.ts'
import { publicRoute } from '../platform/http/core/guard.ts'
import { httpProblems } from '../platform/http/core/problems.ts'
import type { App } from '../platform/http/server.ts'
import { appRoutes } from './apps/routes.ts'
import type { DocsDeps } from './docs/build-docs.ts'
import { docsRoutes } from './docs-routes.ts'
import { homePage } from './home-page.ts'
import type { PageContent, SiteSettings } from './layout.ts'
import { FOREVER, sendPage } from './page-routes.ts'
import { htmlPage, type StoredPage, storedPage } from './pages.ts'
import { problemIndex, problemPage } from './problem-pages.ts'
import { renderInShopLook } from './shop-look.ts'
import { STYLESHEET } from './stylesheet.ts'

export interface SiteDeps extends DocsDeps {
  db: Db
}

const CodeParams = Type.Object({ code: Type.String() })
const options = { onRequest: publicRoute, schema: { hide: true } }

/** Adds the pages for people: the shop, the page for developers, the documentation and the pages of errors. */
export function siteRoutes(app: App, deps: SiteDeps): void {
  const { settings } = deps
  const home = htmlPage(homePage(settings), settings)
  app.get('/developers', options, async (request, reply) => sendPage(request, reply, home))
  const shopHtml = appRoutes(app, deps)
  assetRoutes(app)
  problemRoutes(app, (content) => pageInShopLook(content, settings, shopHtml))
  docsRoutes(app, deps)
}

function assetRoutes(app: App): void {
  const css = storedPage('text/css; charset=utf-8', STYLESHEET.css)
  const icon = storedPage('image/svg+xml', STYLESHEET.icon)
  app.get(STYLESHEET.path, options, async (request, reply) => sendPage(request, reply, css, FOREVER))
  app.get(STYLESHEET.iconPath, options, async (request, reply) => sendPage(request, reply, icon, FOREVER))
}

/** Renders the pages of errors with the first request, because features register errors until the service is complete. */
function problemRoutes(app: App, render: (content: PageContent) => StoredPage): void {
  const pages = new Map<string, StoredPage>()
  let index: StoredPage | undefined
  app.get('/problems', options, async (request, reply) => {
    index ??= render(problemIndex())
    return sendPage(request, reply, index)
  })
  app.get('/problems/:code', { ...options, schema: { hide: true, params: CodeParams } }, async (request, reply) => {
    const { code } = request.params as Static<typeof CodeParams>
    const content = problemPage(code)
    if (content === undefined) throw httpProblems.not_found()
    const page = pages.get(code) ?? render(content)
    pages.set(code, page)
    return sendPage(request, reply, page)
  })
}

/** Without a build of the shop, the page has the look of the documentation. */
function pageInShopLook(content: PageContent, settings: SiteSettings, shopHtml: string | undefined): StoredPage {
  if (shopHtml === undefined) return htmlPage(content, settings)
  return storedPage('text/html; charset=utf-8', renderInShopLook(shopHtml, content, settings.shopName))
}
