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

/** What fonts need of the storage. */
export const fontReferences: StorageReferences = {
  name: 'fonts',
  columns: ['fonts.sha256'],
  query: storedFonts,
}

/** What fonts count for in the quota of an account. */
export const fontCharges: StorageCharges = { name: 'fonts', query: storedFontBytes }
