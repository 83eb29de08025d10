import { Button, Checkbox, NativeSelect, TextField, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useMemo, useState } from 'react'
import { countriesIn } from '../../parts/form/country-choices.ts'
import { productNamesQuery } from '../product-names.ts'
import { shippingMethodNamesQuery } from '../shipping-method-names.ts'
import { PAYMENT_STATUS, PAYMENT_STATUSES } from '../status.ts'
import type { Filter, ListState } from './use-list-state.ts'

/** The filters beside the status and the search. */
export function FilterForm({ state, onClose }: { state: ListState; onClose(): void }) {
  const { text, locale } = useTexts()
  const products = useQuery(productNamesQuery())
  const methods = useQuery(shippingMethodNamesQuery())
  const countries = useMemo(() => countriesIn(locale), [locale])
  const [values, setValues] = useState({
    payment: state.get('payment'),
    product: state.get('product'),
    shipping: state.get('shipping'),
    late: state.get('late'),
    disputed: state.get('disputed'),
    country: state.get('country'),
    from: state.get('from'),
    to: state.get('to'),
  })
  const field = (name: Extract<Filter, keyof typeof values>) => ({
    value: values[name],
    onChange: (value: string) => setValues((before) => ({ ...before, [name]: value })),
  })
  const apply = (event: FormEvent): void => {
    event.preventDefault()
    state.change(values)
    onClose()
  }
  return (
    <form className="form filter-form" onSubmit={apply}>
      <NativeSelect
        label={text('console.payment')}
        placeholder={text('console.allPayments')}
        choices={PAYMENT_STATUSES.map((id) => ({ id, text: text(PAYMENT_STATUS[id].text) }))}
        {...field('payment')}
      />
      <NativeSelect
        label={text('console.product')}
        placeholder={text('console.allProducts')}
        choices={products.data ?? []}
        {...field('product')}
      />
      <NativeSelect
        label={text('console.filterShippingMethod')}
        placeholder={text('console.allShippingMethods')}
        choices={methods.data ?? []}
        {...field('shipping')}
      />
      <NativeSelect
        label={text('console.country')}
        placeholder={text('console.allCountries')}
        choices={countries}
        {...field('country')}
      />
      <div className="field-pair">
        <TextField label={text('console.fromDay')} type="date" {...field('from')} />
        <TextField label={text('console.toDay')} type="date" {...field('to')} />
      </div>
      <Checkbox
        isSelected={values.late === 'true'}
        onChange={(isOn) => setValues((before) => ({ ...before, late: isOn ? 'true' : '' }))}
      >
        {text('console.onlyLate')}
      </Checkbox>
      <Checkbox
        isSelected={values.disputed === 'true'}
        onChange={(isOn) => setValues((before) => ({ ...before, disputed: isOn ? 'true' : '' }))}
      >
        {text('console.onlyDisputed')}
      </Checkbox>
      <Button type="submit" look="primary">
        {text('console.applyFilters')}
      </Button>
    </form>
  )
}
