import { anyoneWithOwnRecords } from '../../auth/index.ts'
import { joinFamilies, listFamilies } from '../../drawing/index.ts'
import { listOwnStyles } from '../../fonts/index.ts'
import type { DatabasePool } from '../../platform/db/index.ts'
import type { Principal } from '../../platform/http/core/principal.ts'
import type { App } from '../../platform/http/server.ts'
import { FontsBody } from '../schemas.ts'
import type { FontDeps } from './design-fonts.ts'

/** Lists all values that `fontFamily` of a text can have. */
export function fontListRoutes(
  app: App,
  { families: installed, database }: Pick<FontDeps, 'families'> & { database: DatabasePool },
): void {
  app.get(
    '/fonts',
    {
      onRequest: anyoneWithOwnRecords,
      schema: {
        operationId: 'listFonts',
        tags: ['Designs'],
        summary: 'List the fonts that designs can use',
        description:
          'Public for installed fonts. With a session, or with an API key that may read designs or assets, the families that the caller uploaded come first.',
        response: { 200: FontsBody },
      },
    },
    async ({ principal }) => {
      const own = seesOwnFonts(principal) ? listFamilies(await listOwnStyles(database.db, principal.userId)) : []
      const families = joinFamilies(own, installed)
      return { data: families.map(({ family, styles, scripts }) => ({ family, styles, scripts })) }
    },
  )
}

/**
 * Whether a caller sees the fonts of its account. A key without access to designs and uploads sees only the installed
 * fonts, like an anonymous client.
 */
function seesOwnFonts(principal: Principal | undefined): principal is Principal {
  if (principal === undefined) return false
  const { permissions } = principal
  return permissions.has('designs:read') || permissions.has('assets:read')
}
