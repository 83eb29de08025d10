import { PostalAddressLines } from '@platen/app/postal-address'
import type { Order, OwnUser } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useState } from 'react'
import { mayUse } from '../../access/may-use.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { Facts, Section } from '../../parts/page/section.tsx'
import { AddressDialog } from '../actions/address-dialog.tsx'
import { useShippingMethodName } from '../shipping-method-names.ts'

/** The statuses in which nothing has shipped, so that the postal address can change. */
const UNSHIPPED: readonly Order['status'][] = ['awaiting_payment', 'confirmed', 'in_production', 'on_hold']

/** Where the order goes, and how. */
export function ShippingSection({ order, user }: { order: Order; user: OwnUser }) {
  const [isOpen, setOpen] = useState(false)
  const { text, formats } = useTexts()
  const shippingMethodOf = useShippingMethodName()
  const metadata = Object.entries(order.metadata)
  const mayCorrect = mayUse(user, 'orders:write') && UNSHIPPED.includes(order.status)
  useShortcuts(mayCorrect ? [{ keys: 'a e', title: 'console.correctAddress', run: () => setOpen(true) }] : [])
  return (
    <Section
      title={text('console.shipping')}
      action={
        mayCorrect ? (
          <Button look="quiet" onPress={() => setOpen(true)}>
            {text('console.correctAddress')}
          </Button>
        ) : null
      }
    >
      <PostalAddressLines address={order.shippingAddress} />
      <Facts
        facts={[
          [text('console.shippingMethod'), shippingMethodOf(order)],
          [text('console.due'), order.dueAt === null ? null : formats.date(order.dueAt)],
          ...order.shipments.map(
            ({ carrier, trackingNumber }) => [carrier, trackingNumber ?? text('console.noTracking')] as const,
          ),
          ...metadata.map(([name, value]) => [name, String(value)] as const),
        ]}
      />
      {isOpen ? <AddressDialog order={order} onClose={() => setOpen(false)} /> : null}
    </Section>
  )
}
