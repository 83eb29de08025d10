import { Type } from 'typebox'
import { publicRoute } from '../../platform/http/core/guard.ts'
import type { App } from '../../platform/http/server.ts'
import type { LegalPages } from '../look/legal-pages.ts'
import type { LookFiles } from '../look/look-files.ts'
import { FOREVER, sendPage } from '../page-routes.ts'
import { LanguageQuery, type ShopPages } from './page-routes.ts'

const options = { onRequest: publicRoute, config: { countedAs: 'links' } } as const
const PageParams = Type.Object({ name: Type.String() })

/** What settings add to a shop. */
export interface OwnLook {
  shopName: string
  files: LookFiles['files']
  /** Pages of the shop such as its imprint. */
  pages: LegalPages
}

/** Serves the theme, its fonts, the logo, and pages such as the imprint. */
export function lookRoutes(app: App, look: OwnLook, pages: ShopPages): void {
  for (const [path, file] of look.files) {
    app.get(path, { ...options, schema: { hide: true } }, async (request, reply) =>
      sendPage(request, reply, file, FOREVER),
    )
  }
  const { shopName } = look
  const missing = pages.prepare(() => ({ title: shopName }))
  const prepared = new Map(
    look.pages.names.map((name) => [
      name,
      pages.prepare(({ locale }) => {
        const { title, main } = look.pages.require(name, locale)
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
