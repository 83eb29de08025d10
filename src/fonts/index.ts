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

/** The references of fonts to stored bytes. Garbage collection retains referenced bytes. */
export const fontReferences: StorageReferences = {
  name: 'fonts',
  columns: ['fonts.sha256'],
  query: storedFonts,
}

/** How fonts count in the storage quota of an account. */
export const fontCharges: StorageCharges = { name: 'fonts', query: storedFontBytes }
