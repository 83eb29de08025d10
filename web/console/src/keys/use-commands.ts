import { type IconName, useTexts } from '@platen/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import { orderListQuery } from '../orders/queries.ts'
import { ORDER_STATUS } from '../orders/status.ts'
import type { ConsolePage } from '../shell/console-page.ts'

export interface Command {
  id: string
  icon: IconName
  title: string
  note?: string
  /** The page to which it leads. Without one, it shows the list of keys. */
  href?: string
}

/** Between keystrokes and the search. */
const PAUSE_MS = 150
const MOST_ORDERS = 8

/** Returns what matches the typed words: pages first, then orders. */
export function useCommands(typed: string, pages: readonly ConsolePage[]): readonly Command[] {
  const { text } = useTexts()
  const words = typed.trim().toLowerCase()
  const own: Command[] = [
    ...pages.map(({ path, icon, title }) => ({ id: path, icon, title: text(title), href: path })),
    { id: 'keys', icon: 'info', title: text('console.shortcuts') },
  ]
  const orders = useOrders(words)
  return [...own.filter(({ title }) => title.toLowerCase().includes(words)), ...orders]
}

function useOrders(words: string): readonly Command[] {
  const { text } = useTexts()
  const [asked, setAsked] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setAsked(words), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [words])
  const { data } = useQuery({
    ...orderListQuery({ q: asked, limit: MOST_ORDERS }),
    enabled: asked.length > 1,
    placeholderData: keepPreviousData,
  })
  if (words.length < 2) return []
  return (data?.data ?? []).map(({ id, number, shippingAddress, status }) => ({
    id,
    icon: 'package',
    title: number,
    note: `${shippingAddress.name} · ${text(ORDER_STATUS[status].text)}`,
    href: `/orders/${id}`,
  }))
}
