import type { StorageReferences } from '../platform/storage/index.ts'
import { storedProfiles } from './store.ts'

export type { InspectProfile } from './inspection.ts'
export { colorProfileRoutes } from './routes.ts'
export { type ColorProfile, findColorProfile, lockColorProfile } from './store.ts'

/** The references of colour profiles to stored bytes. Garbage collection retains referenced bytes. */
export const colorProfileReferences: StorageReferences = {
  name: 'color-profiles',
  columns: ['color_profiles.sha256'],
  query: storedProfiles,
}
