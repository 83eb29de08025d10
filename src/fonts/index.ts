import type { StorageReferences } from '../platform/storage/index.ts'
import { storedFonts } from './store.ts'

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
