import { MoreTexts } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import { PlatenError, type PostalAddressInput } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useState } from 'react'
import { PostalAddressFields } from '../new/address-fields.tsx'
import { addressFieldsOf } from '../new/basket/basket.ts'
import { ActionDialog } from './action-dialog.tsx'
import type { DialogProps } from './dialog-props.ts'
import { useOrderAction } from './use-order-action.ts'

/** Corrects the postal address of an order before a parcel leaves. */
export function AddressDialog(props: DialogProps) {
  return (
    <MoreTexts groups={['consoleNewOrder']} fallback={null}>
      <LoadedDialog {...props} />
    </MoreTexts>
  )
}

function LoadedDialog({ order, onClose }: DialogProps) {
  const { text } = useTexts()
  const [address, setAddress] = useState(() => addressFieldsOf(order.shippingAddress))
  const correct = useOrderAction(
    order,
    (ifUnchanged) => {
      // The service refuses empty texts.
      const entered = Object.entries(address).filter(([, value]) => value.trim() !== '')
      const shippingAddress = Object.fromEntries(entered) as unknown as PostalAddressInput
      return platen.orders.change(order.id, { shippingAddress }, ifUnchanged)
    },
    { done: text(order.status === 'on_hold' ? 'console.doneAddressHeld' : 'console.doneAddress'), onDone: onClose },
  )
  const refused = (correct.error instanceof PlatenError ? correct.error.errors : []).flatMap(({ pointer = '' }) => {
    const [, name] = /^\/shippingAddress\/(\w+)$/.exec(pointer) ?? []
    return name === undefined ? [] : [name]
  })
  return (
    <ActionDialog
      order={order}
      title={text('console.correctAddress')}
      confirmLabel={text('console.correctAddress')}
      action={correct}
      onConfirm={() => correct.mutate()}
      onClose={onClose}
    >
      <p>{text('console.addressHelp')}</p>
      <PostalAddressFields
        value={address}
        onChange={(next) => {
          // The browser sends no form with a field that is marked as wrong.
          correct.reset()
          setAddress(next)
        }}
        isDestinationFixed
        refused={refused}
      />
    </ActionDialog>
  )
}
