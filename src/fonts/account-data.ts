import { type AccountData, erasedBatch } from '../auth/index.ts'
import { eachRow } from '../platform/db/reading/each-row.ts'
import { toFontBody } from './schemas.ts'
import { type Font, fontUses, listFonts } from './store.ts'

const PAGE = 100

const ERASED_AT_ONCE = 500

export function fontAccountData({ baseUrl }: { baseUrl: string }): AccountData {
  return {
    name: 'fonts',
    list: async function* (db, ownerId) {
      const fonts = eachRow<Font>((last) => listFonts(db, { ownerId, after: last?.id, limit: PAGE }))
      for await (const font of fonts) yield { ...toFontBody(font), contentUrl: `${baseUrl}/fonts/${font.id}/content` }
    },
    erase: async (trx, ownerId) =>
      erasedBatch(await fontUses.deleteSomeOf(trx, ownerId, ERASED_AT_ONCE), { limit: ERASED_AT_ONCE }),
    move: fontUses.move,
  }
}
