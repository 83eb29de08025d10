import type { ListedOrder, ListOrdersQuery } from '@platen/client'
import { Banner, Skeleton, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { RepliedPill } from '../orders/replied-pill.tsx'
import { ORDER_STATUS } from '../orders/status.ts'
import { Section } from '../parts/page/section.tsx'
import { Pill } from '../parts/pill.tsx'
import { problemText } from '../shell/problem-text.ts'
import { attentionQuery } from './queries.ts'

/** As many as one looks at before going to the table. */
const SHOWN = 5

export interface AttentionListProps {
  title: string
  /** Says that there is nothing to do. Without it, nothing is shown then. */
  empty?: string
  query: ListOrdersQuery
  /** The table with all of them. */
  all: string
  /** The text of the link to it. */
  allText?: string
  /** Reads the list again after this time, for what no event announces. */
  refreshMs?: number
  /** Tells since when the order waits. Without it, since its hold or since it was placed. */
  sinceOf?: (order: ListedOrder) => string | undefined
  /** Says why the order is here. Without it, the status does. */
  noteOf?: (order: ListedOrder) => string | undefined
}

/** Orders that wait for the shop. */
export function AttentionList(props: AttentionListProps) {
  const { title, empty, query, all, noteOf, sinceOf, refreshMs = false } = props
  const texts = useTexts()
  const { allText = texts.text('console.showAll') } = props
  const orders = useQuery({ ...attentionQuery({ ...query, limit: SHOWN }), refetchInterval: refreshMs })
  const isMore = orders.data?.nextCursor != null
  const isEmpty = orders.data === undefined ? orders.isPending : orders.data.data.length === 0
  if (isEmpty && empty === undefined) return null
  return (
    <Section title={title} action={isMore ? <Link href={all}>{allText}</Link> : null}>
      {orders.error === null ? null : <Banner tone="danger">{problemText(texts, orders.error)}</Banner>}
      {orders.isPending ? <Skeleton /> : null}
      {orders.data?.data.length === 0 ? <p className="note">{empty}</p> : null}
      <ul className="attention-list">
        {orders.data?.data.map((order) => (
          <li key={order.id}>
            <Link href={`/orders/${order.id}`} className="attention-order">
              <span className="attention-number">{order.number}</span>
              <span className="note">
                {texts.formats.ago(sinceOf?.(order) ?? order.hold?.since ?? order.createdAt)}
              </span>
              <span className="attention-note">{noteOf?.(order) ?? nameOf(order)}</span>
              {noteOf === undefined ? <StatusOf order={order} /> : <RepliedPill hold={order.hold} />}
            </Link>
          </li>
        ))}
      </ul>
    </Section>
  )
}

const nameOf = ({ shippingAddress: { name, company } }: ListedOrder): string => company ?? name

function StatusOf({ order: { status } }: { order: ListedOrder }) {
  const { text } = useTexts()
  return <Pill tone={ORDER_STATUS[status].tone}>{text(ORDER_STATUS[status].text)}</Pill>
}
