import type { OwnUser } from '@platen/client'
import { type IconName, useTexts } from '@platen/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { cataloguePage } from '../catalogue/page.ts'
import { productListQuery } from '../catalogue/queries.ts'
import { customersPage } from '../customers/page.ts'
import { customerListQuery } from '../customers/queries.ts'
import { developersPage } from '../developers/page.ts'
import { requestListQuery } from '../developers/queries.ts'
import { isRequestId } from '../developers/requests/request-filter.ts'
import { ordersPage } from '../orders/page.ts'
import { orderListQuery } from '../orders/queries.ts'
import { ORDER_STATUS } from '../orders/status.ts'
import type { ConsolePage } from '../shell/console-page.ts'
import { useKnownShortcuts } from './shortcuts.ts'
import { subPagesOf } from './sub-pages.ts'

export interface Command {
  id: string
  icon: IconName
  title: string
  note?: string
  /** The page to which it leads. */
  href?: string
  /** The action of the present page that it runs. Without this and `href`, the command shows the list of keys. */
  run?(): void
}

/** Between keystrokes and the search. */
const PAUSE_MS = 150
const MOST_ORDERS = 8
const MOST_OTHERS = 4

/**
 * Returns what matches the typed words: pages, actions of the present page, orders, customers, products, and the request
 * with this id.
 */
export function useCommands(typed: string, pages: readonly ConsolePage[], user: OwnUser): readonly Command[] {
  const { text } = useTexts()
  const words = typed.trim().toLowerCase()
  const own: Command[] = [
    ...pages.flatMap((page) => [
      { id: page.path, icon: page.icon, title: text(page.title), href: page.path },
      // Without words, the list is that of the navigation.
      ...(words === '' ? [] : subPagesOf(page, user)).map(({ href, title }) => ({
        id: href,
        icon: page.icon,
        title: text(title),
        note: text(page.title),
        href,
      })),
    ]),
    ...useKnownShortcuts().flatMap(({ keys, title, moves = false, run }) =>
      moves
        ? []
        : [{ id: `run ${keys}`, icon: 'chevron-right' as const, title: text(title), note: keys, run: () => run() }],
    ),
    { id: 'keys', icon: 'info', title: text('console.shortcuts') },
  ]
  const records = useRecords(words, pages)
  return [...own.filter(({ title }) => title.toLowerCase().includes(words)), ...records]
}

/** What the service finds. Only what the user may open is searched. */
function useRecords(words: string, pages: readonly ConsolePage[]): readonly Command[] {
  const { text } = useTexts()
  const [asked, setAsked] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setAsked(words), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [words])
  const searchOf = ({ path }: ConsolePage) => ({
    enabled: asked.length > 1 && pages.some((page) => page.path === path),
    placeholderData: keepPreviousData,
  })
  const orders = useQuery({ ...orderListQuery({ q: asked, limit: MOST_ORDERS }), ...searchOf(ordersPage) })
  const customers = useQuery({ ...customerListQuery({ q: asked, limit: MOST_OTHERS }), ...searchOf(customersPage) })
  const products = useQuery({ ...productListQuery({ q: asked, limit: MOST_OTHERS }), ...searchOf(cataloguePage) })
  const requests = useQuery({
    ...requestListQuery({ requestId: asked, limit: 1 }),
    ...searchOf(developersPage),
    // The log is searched by whole ids only.
    ...(isRequestId(asked) ? {} : { enabled: false }),
  })
  if (words.length < 2) return []
  return [
    ...(orders.data?.data ?? []).map(({ id, number, shippingAddress, status }) => ({
      id,
      icon: ordersPage.icon,
      title: number,
      note: `${shippingAddress.name} · ${text(ORDER_STATUS[status].text)}`,
      href: `/orders/${id}`,
    })),
    ...(customers.data?.data ?? []).map(({ id, name, email, externalId }) => ({
      id,
      icon: customersPage.icon,
      title: name ?? email ?? externalId ?? id,
      note: text(customersPage.title),
      href: `/customers/${id}`,
    })),
    ...(products.data?.data ?? []).map(({ id, name }) => ({
      id,
      icon: cataloguePage.icon,
      title: name,
      note: text(cataloguePage.title),
      href: `/catalogue/${id}`,
    })),
    ...(isRequestId(words) ? (requests.data?.data ?? []) : []).map(({ id, method, route, status }) => ({
      id,
      icon: developersPage.icon,
      title: `${method} ${route ?? text('consoleDevelopers.unknownPath')}`,
      note: String(status),
      href: `/developers/requests/${id}`,
    })),
  ]
}
