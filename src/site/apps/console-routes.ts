import { publicRoute } from '../../platform/http/core/guard.ts'
import type { App } from '../../platform/http/server.ts'
import type { SiteSettings } from '../layout.ts'
import { madeFrom } from '../made-from.ts'
import { sendPage } from '../page-routes.ts'
import { storedPage } from '../pages.ts'
import { withSettings } from './with-settings.ts'

const options = { onRequest: publicRoute, config: { countedAs: 'links' }, schema: { hide: true } }

/**
 * Serves the console. Its HTML is the same for each of its pages and each user, because only the browser knows who is
 * signed in.
 *
 * @param html the built HTML of the console
 * @param head returns what the look of the shop adds to the head of pages
 */
export function consoleRoutes(app: App, html: string, settings: () => SiteSettings, head: () => string): void {
  const page = madeFrom(settings, (present) => {
    const complete = withSettings(html, present).replace('</head>', (end) => `${head()}${end}`)
    return storedPage('text/html; charset=utf-8', complete)
  })
  for (const path of ['/console', '/console/*']) {
    app.get(path, options, async (request, reply) => sendPage(request, reply, page()))
  }
}
