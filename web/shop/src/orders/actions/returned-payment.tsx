import type { Order } from '@platen/client'
import { Banner, Button, useTexts } from '@platen/ui'
import { useEffect } from 'react'
import { Link, useLocation, useSearchParams } from 'wouter'
import { payPathOf } from '../queries.ts'
import { orderProblemText, UnusableStep } from './order-problem-text.ts'
import { usePayment } from './use-payment.ts'

/** Whether the customer comes from the page of the payment provider (`returned`), or left it without paying (`left`). */
export function usePaymentReturn({ status, payment }: Order): 'returned' | 'left' | undefined {
  const [search] = useSearchParams()
  const end = search.get('payment')
  if (status !== 'awaiting_payment' || payment.status === 'failed') return undefined
  return end === 'returned' || end === 'left' ? end : undefined
}

/** Says how a payment on the page of the payment provider ended, as far as the service knows it. */
export function ReturnedPayment({ order }: { order: Order }) {
  const { text } = useTexts()
  const [search] = useSearchParams()
  const end = usePaymentReturn(order)
  const isBack = search.get('payment') === 'returned'
  useThanks(order, isBack)
  if (end === 'returned') return <Confirming order={order} />
  if (end === 'left') return <Banner tone="info">{text('order.leftPayment')}</Banner>
  if (!isBack || order.status !== 'awaiting_payment') return null
  return (
    <Banner tone="danger" isLive>
      {text('order.declined')}
    </Banner>
  )
}

/** Thanks the customer once the payment has arrived, also if they reload the page later. */
function useThanks({ id, status }: Order, isBack: boolean): void {
  const [, navigate] = useLocation()
  const isPaid = isBack && status !== 'awaiting_payment'
  useEffect(() => {
    if (isPaid) navigate(`/orders/${id}`, { replace: true, state: { isNew: true } })
  }, [isPaid, id, navigate])
}

function Confirming({ order }: { order: Order }) {
  const texts = useTexts()
  const pay = usePayment(order)
  const check = (
    <Button isPending={pay.isPending} onPress={() => pay.run(undefined, () => {})}>
      {texts.text('order.checkPayment')}
    </Button>
  )
  const payPath = pay.error instanceof UnusableStep ? payPathOf(order) : undefined
  const payAnew =
    payPath === undefined ? undefined : (
      <Link href={payPath} className="pl-button">
        {texts.text('order.pay')}
      </Link>
    )
  return (
    <Banner tone="info" isLive action={payAnew ?? check}>
      {pay.error === null ? texts.text('order.confirmingPayment') : orderProblemText(texts, pay.error)}
    </Banner>
  )
}
