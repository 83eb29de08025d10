import { PostalAddressLines } from '@platen/app/postal-address'
import type { Order } from '@platen/client'
import { useTexts } from '@platen/ui'
import { Facts, Section } from '../../parts/section.tsx'
import { useShippingMethodName } from '../shipping-method-names.ts'

/** Where the order goes, and how. */
export function ShippingSection({ order }: { order: Order }) {
  const { text, formats } = useTexts()
  const shippingMethodOf = useShippingMethodName()
  const metadata = Object.entries(order.metadata)
  return (
    <Section title={text('console.shipping')}>
      <PostalAddressLines address={order.shippingAddress} />
      <Facts
        facts={[
          [text('console.shippingMethod'), shippingMethodOf(order)],
          [text('console.due'), order.dueAt === null ? null : formats.date(order.dueAt)],
          ...metadata.map(([name, value]) => [name, String(value)] as const),
        ]}
      />
    </Section>
  )
}
