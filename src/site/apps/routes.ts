import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Static, Type } from 'typebox'
import type { ShippingMethod } from '../../orders/index.ts'
import type { Db } from '../../platform/db/index.ts'
import { publicRoute } from '../../platform/http/core/guard.ts'
import { httpProblems } from '../../platform/http/core/problems.ts'
import { isNotModified, sendNotModified } from '../../platform/http/responses/etag.ts'
import type { App } from '../../platform/http/server.ts'
import { lazily } from '../../platform/lazily.ts'
import { shopRoutes } from '../catalogue/routes.ts'
import { layout, type SiteSettings } from '../layout.ts'
import { madeFrom } from '../made-from.ts'
import { FOREVER, REVALIDATE, sendPage } from '../page-routes.ts'
import { type StoredPage, storedPage } from '../pages.ts'
import { lookRoutes } from '../shop/look-routes.ts'
import { createShopPages, type ShopPages } from '../shop/page-routes.ts'
import { readShopTexts } from '../shop/shop-texts.ts'
import { type BuiltFile, chooseForm, listBuiltFiles } from './built-files.ts'
import { consoleRoutes } from './console-routes.ts'
import { createShopLook } from './shop-look.ts'
import { MAIL_LINK_PAGES, SHOP_PAGES } from './shop-pages.ts'

/** The files of the build, which are listed once in a process. */
const builtFiles = lazily(() => listBuiltFiles(join(import.meta.dirname, '../../../web/dist')))
/** A page needs many files, so they have the limit of files that need no credential. */
const options = { onRequest: publicRoute, config: { countedAs: 'links' }, schema: { hide: true } }
const FileParams = Type.Object({ name: Type.String() })
const fileOptions = { ...options, schema: { hide: true, params: FileParams } }
/** The folders of the built files. Names in `static` contain a hash of the content. */
const CACHING = { static: FOREVER, embed: REVALIDATE }

export interface AppDeps {
  /** Returns the same settings until they have changed. */
  settings(): SiteSettings
  db: Db
  /** The methods that the shop offers. */
  shippingMethods(): Promise<readonly ShippingMethod[]>
}

/**
 * Serves the browser applications: the shop, the console, and the files of the editor for pages of other origins.
 *
 * @returns what renders other pages in the look of the shop; undefined if nothing is built
 */
export function appRoutes(app: App, deps: AppDeps): ShopPages | undefined {
  const { settings } = deps
  const { files, shopHtml: builtHtml, consoleHtml } = builtFiles()
  const texts = readShopTexts()
  const look = builtHtml === undefined ? undefined : createShopLook(builtHtml, settings, texts)
  const pages = look === undefined ? undefined : createShopPages(look.look, texts)
  const browserPages = [
    ...SHOP_PAGES.map((path) => ({ path, caching: REVALIDATE })),
    ...MAIL_LINK_PAGES.map((path) => ({ path, caching: 'no-store' })),
  ]
  if (look === undefined || pages === undefined) {
    const page = madeFrom(settings, notBuilt)
    for (const path of ['/', '/console', '/console/*', ...browserPages.map((one) => one.path)])
      app.get(path, options, (request, reply) => sendPage(request, reply, page()))
  } else {
    shopRoutes(app, { ...deps, pages, browserPages, pageNames: look.legalPages.names })
    lookRoutes(app, look, pages)
    if (consoleHtml !== undefined) consoleRoutes(app, consoleHtml, settings, () => look.look().head)
  }
  for (const [folder, caching] of Object.entries(CACHING)) {
    // Adding a route for each of some hundred files would take an eighth of the time of a start.
    app.get(`/${folder}/:name`, fileOptions, async (request, reply) => {
      const { name } = request.params as Static<typeof FileParams>
      const file = files.get(`/${folder}/${name}`)
      if (file === undefined) throw httpProblems.not_found()
      return sendFile(request, reply, file, caching)
    })
  }
  return pages
}

function sendFile(request: FastifyRequest, reply: FastifyReply, file: BuiltFile, caching: string): FastifyReply {
  const form = chooseForm(file, request.headers['accept-encoding'])
  const isKnown = isNotModified(request, reply, file.etagOf(form))
  reply.header('Cache-Control', caching)
  // A page of any origin may load the editor. The files are the same for all clients.
  reply.header('Access-Control-Allow-Origin', '*')
  reply.header('Vary', 'Accept-Encoding')
  if (isKnown) return sendNotModified(reply)
  if (form.encoding !== undefined) reply.header('Content-Encoding', form.encoding)
  return reply.type(file.type).header('Content-Length', form.bytes).send(createReadStream(form.path))
}

function notBuilt(settings: SiteSettings): StoredPage {
  const main =
    '<h1>The shop is not built</h1><p>Run <code>npm run web</code>, and restart the service. <code>npm start</code> does both.</p>'
  return storedPage('text/html; charset=utf-8', layout({ title: 'Not built', main }, settings))
}
