import { NativeSelect, NumberField, useTexts } from '@platen/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { countriesIn } from '../../parts/form/country-choices.ts'
import { Section } from '../../parts/page/section.tsx'
import { currenciesQuery, offersQuery } from '../queries.ts'

const FIRST = { country: 'DE', weightGrams: 500 }

/** What a parcel costs, as a customer sees it at the checkout. */
export function Calculator() {
  const { text, formats, locale } = useTexts()
  const countries = useMemo(() => countriesIn(locale), [locale])
  const currencies = useQuery(currenciesQuery()).data ?? []
  const [parcel, setParcel] = useState({ ...FIRST, currency: '' })
  const currency = parcel.currency === '' ? (currencies[0] ?? 'EUR') : parcel.currency
  const offers = useQuery({ ...offersQuery({ ...parcel, currency }), placeholderData: keepPreviousData })
  const change = (members: Partial<typeof parcel>): void => setParcel((before) => ({ ...before, ...members }))
  return (
    <Section title={text('consoleSettings.calculator')}>
      <div className="form">
        <NativeSelect
          label={text('console.country')}
          placeholder={text('consoleSettings.chooseCountry')}
          choices={countries}
          value={parcel.country}
          onChange={(country) => change({ country: country === '' ? FIRST.country : country })}
        />
        <NumberField
          label={text('consoleSettings.weight')}
          unit="g"
          formatOptions={{ useGrouping: false }}
          minValue={0}
          step={1}
          value={parcel.weightGrams}
          onChange={(weightGrams) => change({ weightGrams: Number.isNaN(weightGrams) ? 0 : weightGrams })}
        />
        {currencies.length < 2 ? null : (
          <NativeSelect
            label={text('consoleSettings.currency')}
            placeholder={currency}
            choices={currencies.map((id) => ({ id, text: id }))}
            value={currency}
            onChange={(chosen) => change({ currency: chosen })}
          />
        )}
      </div>
      <ul className="offers" aria-label={text('consoleSettings.offers')} aria-live="polite">
        {offers.data?.map(({ id, name, price, estimatedDays }) => (
          <li key={id}>
            <span>
              {name}
              <span className="note"> · {text('consoleSettings.days', estimatedDays)}</span>
            </span>
            <b>{formats.money(price)}</b>
          </li>
        ))}
        {offers.data?.length === 0 ? <li className="note">{text('consoleSettings.noOffers')}</li> : null}
      </ul>
    </Section>
  )
}
