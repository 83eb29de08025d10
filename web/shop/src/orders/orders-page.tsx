import { Loading, MoreTexts, Page } from '@platen/app/frame'
import { useAccount } from '@platen/app/session'
import type { ListedOrder } from '@platen/client'
import { Button, EmptyState, useTexts } from '@platen/ui'
import { useInfiniteQuery } from '@tanstack/react-query'
import { Link } from 'wouter'
import { Failure } from '../shell/failures/failure.tsx'
import { ItemPicture } from './order-items.tsx'
import { ordersQuery } from './queries.ts'
import { STATUS_TEXTS } from './status.ts'
import { UnbrokenNumber } from './unbroken-number.tsx'

export function OrdersPage() {
  return (
    <MoreTexts groups={['order']}>
      <Orders />
    </MoreTexts>
  )
}

function Orders() {
  const { text } = useTexts()
  const account = useAccount()
  const isKnown = account.kind === 'guest' || account.kind === 'user'
  const list = useInfiniteQuery({ ...ordersQuery(), enabled: isKnown })
  if (account.kind === 'unknown' || (isKnown && list.isPending)) return <Loading />
  if (list.isError) return <Failure error={list.error} onRetry={() => void list.refetch()} />
  // Operators can read the orders of all customers, which are not theirs.
  const isOwn = ({ customerId }: ListedOrder): boolean =>
    account.kind !== 'user' || customerId === account.user.customerId
  const orders = list.data?.pages.flatMap(({ data }) => data).filter(isOwn) ?? []
  return (
    <Page title={text('shop.orders')}>
      {orders.length === 0 ? <NoOrders isVisitor={account.kind === 'none'} /> : null}
      <ul className="orders">
        {orders.map((order) => (
          <OrderCard key={order.id} order={order} />
        ))}
      </ul>
      {list.hasNextPage ? (
        <div className="more">
          <Button isPending={list.isFetchingNextPage} onPress={() => void list.fetchNextPage()}>
            {text('common.showMore')}
          </Button>
        </div>
      ) : null}
    </Page>
  )
}

function NoOrders({ isVisitor }: { isVisitor: boolean }) {
  const { text } = useTexts()
  return (
    <EmptyState
      icon="package"
      title={text('order.noOrders')}
      action={
        <div className="row">
          <Link href="/" className="pl-button primary">
            {text('shop.chooseProduct')}
          </Link>
          {isVisitor ? (
            <Link href="/sign-in?next=/orders" className="pl-button">
              {text('common.signIn')}
            </Link>
          ) : null}
        </div>
      }
    >
      {text(isVisitor ? 'order.noOrdersVisitor' : 'order.noOrdersHelp')}
    </EmptyState>
  )
}

function OrderCard({ order }: { order: ListedOrder }) {
  const { text, formats } = useTexts()
  const [first] = order.items
  const names = order.items.map(({ quantity, design }) =>
    text('order.timesName', { count: quantity, name: design.name ?? text('order.someDesign') }),
  )
  return (
    <li className="order-card card">
      <div className="line-picture">
        {first === undefined ? null : (
          <ItemPicture orderId={order.id} item={first} name={first.design.name ?? text('order.someDesign')} />
        )}
      </div>
      <div className="line-facts">
        <h2 className="card-name">
          <Link href={`/orders/${order.id}`}>
            <UnbrokenNumber text={text('order.orderNumber', { number: order.number })} number={order.number} />
          </Link>
        </h2>
        <p className="card-note">
          <span className={`status ${order.status}`}>{text(STATUS_TEXTS[order.status])}</span>
          <span>{formats.date(order.createdAt)}</span>
        </p>
        <p className="note order-names">{names.join(', ')}</p>
      </div>
      <p className="line-total">{formats.money(order.amounts.total)}</p>
    </li>
  )
}
