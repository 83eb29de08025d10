import { notices } from '@platen/app/frame'
import { platen, useAccount } from '@platen/app/session'
import type { Order, ResolveHoldRequest } from '@platen/client'
import { Banner, Button, type MessageKey, TextField, useTexts } from '@platen/ui'
import { type FormEvent, useState } from 'react'
import { ownerOf } from '../../cart/use-cart-items.ts'
import { AddressFields } from '../../checkout/address/address-form.tsx'
import { type AddressValues, addressOf, rememberAddress, valuesOf } from '../../checkout/address/address-values.ts'
import { addressFaultsOf } from '../../checkout/faults.ts'
import { isAllowed } from '../queries.ts'
import { orderProblemText } from './order-problem-text.ts'
import { useOrderAction } from './use-order-action.ts'

type Resolution = NonNullable<Order['hold']>['resolution']

const HELP: Readonly<Record<Resolution, MessageKey>> = {
  address: 'order.holdAddress',
  confirmation: 'order.holdConfirmation',
  answer: 'order.holdAnswer',
  none: 'order.holdNone',
}

/** Why an order is on hold, and the reply that the shop asks for. */
export function HoldPanel({ order }: { order: Order }) {
  const { text, formats } = useTexts()
  const { hold } = order
  if (hold === undefined) return null
  const canReply = isAllowed(order, 'resolve_hold')
  return (
    <section className="card-section hold">
      <h2>{text(hold.resolution === 'none' ? 'order.holdTitleNone' : 'order.holdTitle')}</h2>
      <blockquote>{hold.reason}</blockquote>
      {canReply ? (
        <>
          <p>{text(HELP[hold.resolution])}</p>
          <HoldForm key={hold.since} order={order} resolution={hold.resolution} />
        </>
      ) : (
        <p>
          {hold.answeredAt === undefined
            ? text('order.holdNone')
            : text('order.holdAnswered', { date: formats.dateTime(hold.answeredAt) })}
        </p>
      )}
    </section>
  )
}

function HoldForm({ order, resolution }: { order: Order; resolution: Resolution }) {
  const texts = useTexts()
  const { text } = texts
  const owner = ownerOf(useAccount())
  const [values, setValues] = useState<AddressValues>(() => valuesOf(order.shippingAddress))
  const [message, setMessage] = useState('')
  const resolve = useOrderAction(order.id, (body: ResolveHoldRequest) => platen.orders.resolveHold(order.id, body))
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    const shippingAddress = resolution === 'address' ? addressOf(values) : undefined
    const body = {
      ...(shippingAddress === undefined ? {} : { shippingAddress }),
      ...(message.trim() === '' ? {} : { message: message.trim() }),
    }
    resolve.mutate(body, {
      onSuccess: () => {
        notices.add({ text: text('order.replySent'), tone: 'good' })
        // The next order goes to the corrected address.
        if (shippingAddress !== undefined && owner !== undefined) rememberAddress(owner, values)
      },
    })
  }
  return (
    <form className="form" onSubmit={submit}>
      {resolution === 'address' ? (
        <AddressFields
          values={values}
          faults={addressFaultsOf(resolve.error)}
          needsEmail={false}
          isDestinationFixed
          onChange={(field, value) => {
            resolve.reset()
            setValues((before) => ({ ...before, [field]: value }))
          }}
        />
      ) : null}
      <TextField
        label={text('order.messageToShop')}
        description={resolution === 'answer' ? undefined : text('shop.optionalField')}
        isRequired={resolution === 'answer'}
        rows={3}
        maxLength={1000}
        value={message}
        onChange={setMessage}
      />
      {resolve.error === null ? null : (
        <Banner tone="danger" isLive>
          {orderProblemText(texts, resolve.error)}
        </Banner>
      )}
      <Button type="submit" look="primary" isPending={resolve.isPending}>
        {text(resolution === 'confirmation' ? 'order.confirmHold' : 'order.sendReply')}
      </Button>
    </form>
  )
}
