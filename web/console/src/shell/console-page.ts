import type { Part } from '@platen/app/frame'
import type { OwnUser } from '@platen/client'
import type { IconName, MessageKey } from '@platen/ui'
import type { Permission } from '../access/may-use.ts'

/** What a page is given. */
export interface PageProps {
  user: OwnUser
}

/** The groups of the navigation, from top to bottom. */
export type Group = 'work' | 'shop' | 'administration'

/** A page of the console, with everything below its path. The file `page.ts` of its folder declares it. */
export interface ConsolePage {
  /** Below `/console`, such as `/orders`. The page also gets the paths below it. */
  path: `/${string}`
  title: MessageKey
  icon: IconName
  group: Group
  /** A user without it does not see the page. */
  permission: Permission
  component: Part<PageProps>
}
