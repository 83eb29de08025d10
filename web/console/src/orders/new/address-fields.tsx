import { type MessageKey, NativeSelect, TextField, useTexts } from '@platen/ui'
import { countriesIn } from '../../parts/form/country-choices.ts'
import type { AddressFields } from './basket/basket.ts'

const FIELDS: readonly (readonly [name: Exclude<keyof AddressFields, 'country'>, text: MessageKey])[] = [
  ['name', 'consoleNewOrder.recipient'],
  ['company', 'consoleNewOrder.company'],
  ['line1', 'consoleNewOrder.line1'],
  ['line2', 'consoleNewOrder.line2'],
  ['postalCode', 'consoleNewOrder.postalCode'],
  ['city', 'consoleNewOrder.city'],
  ['region', 'consoleNewOrder.region'],
  ['email', 'consoleNewOrder.email'],
  ['phone', 'consoleNewOrder.phone'],
]
const TYPES: Partial<Record<keyof AddressFields, 'email' | 'tel'>> = { email: 'email', phone: 'tel' }
const REQUIRED: ReadonlySet<string> = new Set(['name', 'line1', 'city'])

interface Props {
  value: AddressFields
  onChange(to: AddressFields): void
  /** Whether country and region cannot change, because the prices of the order depend on them. */
  isDestinationFixed?: boolean
  /** The fields that the service has refused. */
  refused?: readonly string[]
}

/** Asks where the order goes. The service checks the rules of the country. */
export function PostalAddressFields({ value, onChange, isDestinationFixed = false, refused = [] }: Props) {
  const { text, locale } = useTexts()
  return (
    <div className="form">
      {FIELDS.map(([name, label]) => (
        <TextField
          key={name}
          label={text(label)}
          type={TYPES[name] ?? 'text'}
          maxLength={200}
          isRequired={REQUIRED.has(name)}
          isDisabled={isDestinationFixed && name === 'region'}
          error={refused.includes(name) ? text('console.addressFieldRefused') : undefined}
          value={value[name]}
          onChange={(entered) => onChange({ ...value, [name]: entered })}
        />
      ))}
      <NativeSelect
        label={text('consoleNewOrder.country')}
        placeholder={text('consoleNewOrder.chooseCountry')}
        choices={countriesIn(locale)}
        isRequired
        disabled={isDestinationFixed}
        description={isDestinationFixed ? text('console.addressDestinationHelp') : undefined}
        value={value.country}
        onChange={(country) => onChange({ ...value, country })}
      />
    </div>
  )
}
