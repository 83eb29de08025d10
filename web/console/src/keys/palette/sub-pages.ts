import type { OwnUser } from '@platen/client'
import type { MessageKey } from '@platen/ui'
import { CATALOGUE_VIEWS } from '../../catalogue/list/catalogue-views.tsx'
import { DEVELOPERS_VIEWS } from '../../developers/developers-views.tsx'
import { mayOrder } from '../../orders/new/may-order.ts'
import { PEOPLE_VIEWS } from '../../people/people-views.tsx'
import { KINDS, type Kind } from '../../settings/mails/kinds.ts'
import { SETTINGS_VIEWS } from '../../settings/settings-views.tsx'
import type { ConsolePage } from '../../shell/console-page.ts'
import { SYSTEM_VIEWS } from '../../system/system-views.tsx'

interface SubPage {
  href: string
  title: MessageKey
  /** Whether a user who may open the page above may open this one, too. Default: every such user. */
  isFor?(user: OwnUser): boolean
}

const VIEWS: readonly SubPage[] = [
  { href: '/orders/new', title: 'console.newOrder', isFor: mayOrder },
  { href: '/catalogue/new', title: 'consoleCatalogue.newProduct' },
  ...CATALOGUE_VIEWS,
  ...DEVELOPERS_VIEWS,
  ...PEOPLE_VIEWS,
  ...SETTINGS_VIEWS,
  { href: '/settings/shipping/new', title: 'consoleSettings.newMethod' },
  ...(Object.keys(KINDS) as Kind[]).map((kind) => ({ href: `/settings/mails/${kind}`, title: KINDS[kind].title })),
  ...SYSTEM_VIEWS,
]

/** Returns the pages below a page of the navigation that a user may open, without the page itself. */
export const subPagesOf = ({ path }: ConsolePage, user: OwnUser): readonly SubPage[] =>
  VIEWS.filter(({ href, isFor }) => href !== path && new RegExp(`^${path}[/?]`).test(href) && isFor?.(user) !== false)
