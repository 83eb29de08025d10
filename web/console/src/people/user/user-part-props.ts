import type { ManagedUser, OwnUser } from '@platen/client'

/** What the sections of the page of a user are given. */
export interface UserPartProps {
  user: ManagedUser
  /** Who looks at the page. */
  viewer: OwnUser
}
