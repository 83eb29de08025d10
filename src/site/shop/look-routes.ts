import { Type } from 'typebox'
import { publicRoute } from '../../platform/http/core/guard.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import type { App } from '../../platform/http/server.ts'
import type { LegalPages } from '../look/legal-pages.ts'
import { FOREVER, sendPage } from '../page-routes.ts'
import type { StoredPage } from '../pages.ts'
import { LanguageQuery, type ShopPages } from './page-routes.ts'

const options = { onRequest: publicRoute, config: { countedAs: 'links' } } as const
const PageParams = Type.Object({ name: Type.String() })

/** Files with a hash of their content in their URLs: the theme, its fonts, and the logo. */
const HASHED = ['/theme-:hash.css', '/font-:hash.woff2', '/logo-:hash.png', '/logo-:hash.jpg']

/** What settings add to a shop. */
export interface OwnLook {
  /** Finds the file of a URL path, also of a look that the shop had until recently. */
  findFile(path: string): StoredPage | undefined
  /** Pages of the shop such as its imprint. */
  legalPages: LegalPages
}

/** Serves the theme, its fonts, the logo, and pages such as the imprint. */
export function lookRoutes(app: App, { findFile, legalPages }: OwnLook, pages: ShopPages): void {
  for (const path of HASHED) {
    app.get(path, { ...options, schema: { hide: true } }, async (request, reply) => {
      const file = findFile(request.url.replace(/\?.*$/, ''))
      if (file === undefined) throw httpProblems.not_found()
      return sendPage(request, reply, file, FOREVER)
    })
  }
  const missing = pages.prepare(({ shopName }) => ({ title: shopName }))
  const prepared = new Map(
    legalPages.names.map((name) => [
      name,
      pages.prepare(({ shopName }, { locale }) => {
        const { title, main } = legalPages.require(name, locale)
        return { title: `${title} – ${shopName}`, main, isStatic: true, canonical: `/pages/${name}` }
      }),
    ]),
  )
  app.get(
    '/pages/:name',
    { ...options, schema: { hide: true, params: PageParams, querystring: LanguageQuery } },
    async (request, reply) => {
      const page = prepared.get(request.params.name)
      return page === undefined ? pages.send(request, reply.status(404), missing) : pages.send(request, reply, page)
    },
  )
}
