import { Loading, MoreTexts, Page } from '@platen/app/frame'
import { useAccount } from '@platen/app/session'
import type { Order } from '@platen/client'
import { Banner, Button, type MessageKey, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Link, Redirect, useLocation } from 'wouter'
import { paymentProvider } from '../shell/config.ts'
import { Failure } from '../shell/failures/failure.tsx'
import { orderProblemText } from './actions/order-problem-text.ts'
import { isProcessing, usePayment } from './actions/use-payment.ts'
import { isAllowed, orderQuery } from './queries.ts'
import { Totals } from './totals.tsx'
import { UnbrokenNumber } from './unbroken-number.tsx'

export function PayPage({ orderId }: { orderId: string }) {
  return (
    <MoreTexts groups={['order']}>
      <LoadedPayment orderId={orderId} />
    </MoreTexts>
  )
}

function LoadedPayment({ orderId }: { orderId: string }) {
  const { text } = useTexts()
  const account = useAccount()
  const { data, error, refetch } = useQuery({ ...orderQuery(orderId), enabled: account.kind !== 'none' })
  if (data !== undefined) return <Payment order={data} />
  if (account.kind === 'none') return <Redirect to={`/sign-in?next=/orders/${orderId}/pay`} replace />
  if (error === null) return <Loading />
  return <Failure error={error} onRetry={() => void refetch()} missing={text('order.missing')} />
}

/** The cards of the test provider: what happens with them is decided by their token. */
const TEST_CARDS: readonly { token: string; name: MessageKey; help: MessageKey }[] = [
  { token: 'test_ok', name: 'order.cardGood', help: 'order.cardGoodHelp' },
  { token: 'test_declined', name: 'order.cardDeclined', help: 'order.cardDeclinedHelp' },
  { token: 'test_timeout', name: 'order.cardSilent', help: 'order.cardSilentHelp' },
]

function Payment({ order }: { order: Order }) {
  const texts = useTexts()
  const { text, formats } = texts
  const [, navigate] = useLocation()
  const [token, setToken] = useState('test_ok')
  const pay = usePayment(order)
  const hasCards = paymentProvider === 'test' && order.amounts.total.amount > 0
  if (pay.isDone) return <Loading />
  if (!isAllowed(order, 'pay')) return <Redirect to={`/orders/${order.id}`} replace />
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    pay.run(hasCards ? token : undefined, (paid) => {
      // A bank may take days.
      navigate(`/orders/${paid.id}${isProcessing(paid) ? '?payment=returned' : ''}`, {
        replace: true,
        state: { isNew: true },
      })
    })
  }
  const title = text('order.payTitle', { number: order.number })
  return (
    <Page title={title} heading={<UnbrokenNumber text={title} number={order.number} />} width="narrow">
      <form className="form" onSubmit={submit}>
        <Totals amounts={order.amounts} taxIncluded={order.taxIncluded} />
        {hasCards ? <TestCards token={token} onChange={setToken} /> : null}
        {paymentProvider === 'stripe' && order.amounts.total.amount > 0 ? (
          <p className="note">{text('order.payOnStripe')}</p>
        ) : null}
        {pay.error === null ? null : (
          <Banner tone="danger" isLive>
            {orderProblemText(texts, pay.error)}
          </Banner>
        )}
        <Button type="submit" look="primary" isPending={pay.isPending}>
          {text('order.payAmount', { amount: formats.money(order.amounts.total) })}
        </Button>
        <p className="form-links">
          <Link href={`/orders/${order.id}`}>{text('order.payLater')}</Link>
        </p>
      </form>
    </Page>
  )
}

function TestCards({ token, onChange }: { token: string; onChange(token: string): void }) {
  const { text } = useTexts()
  return (
    <fieldset className="choices">
      <legend>{text('order.testCard')}</legend>
      <p className="note">{text('order.testCardHelp')}</p>
      {TEST_CARDS.map((card) => (
        <label key={card.token} className="choice">
          <input
            type="radio"
            name="card"
            value={card.token}
            checked={card.token === token}
            onChange={() => onChange(card.token)}
          />
          <span className="choice-text">
            <span>{text(card.name)}</span>
            <span className="note">{text(card.help)}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
