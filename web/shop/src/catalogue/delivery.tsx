import { platen } from '@platen/app/session'
import { useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { pageData } from '../session/page-data.ts'
import { WorkingDays } from './working-days.tsx'

/** How long each shipping method takes and what it costs at least, before the customer has named a destination. */
export function Delivery({ currency }: { currency: string }) {
  const { text, formats } = useTexts()
  const { data = [] } = useQuery({
    queryKey: ['shippingMethods', currency],
    queryFn: async ({ signal }) => (await platen.shippingMethods.list({ currency, limit: 100 }, { signal })).data,
    staleTime: 60_000,
    initialData: () => (pageData.product?.currency === currency ? pageData.shippingMethods : undefined),
  })
  if (data.length === 0) return null
  return (
    <section className="delivery">
      <h2>{text('shop.delivery')}</h2>
      <dl className="facts">
        {data.map((method) => (
          <div key={method.id}>
            <dt>
              {method.name} <WorkingDays method={method} />
            </dt>
            <dd>{text('shop.deliveryPrice', { price: formats.money(method.price) })}</dd>
          </div>
        ))}
      </dl>
      <p className="note">{text('shop.deliveryNote')}</p>
    </section>
  )
}
