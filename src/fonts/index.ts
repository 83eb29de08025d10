import type { StorageCharges, StorageReferences } from '../platform/storage/index.ts'
import { storedFontBytes, storedFonts } from './store.ts'

export { fontAccountData } from './account-data.ts'
export type { InspectFont } from './inspection.ts'
export { fontRoutes } from './routes.ts'
export {
  type Font,
  findFontsOfFamilies,
  findFontsUsed,
  fontUses,
  listOwnStyles,
} from './store.ts'

/** References of fonts to stored bytes, for garbage collection. */
export const fontReferences: StorageReferences = {
  name: 'fonts',
  columns: ['fonts.sha256'],
  query: storedFonts,
}

/** Bytes of fonts in the storage quota. */
export const fontCharges: StorageCharges = { name: 'fonts', query: storedFontBytes }
