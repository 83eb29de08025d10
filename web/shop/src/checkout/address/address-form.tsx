import { COUNTRY_CODES, isCountryCode } from '@platen/app/postal-address'
import { type MessageKey, NativeSelect, TextField, useTexts } from '@platen/ui'
import { useMemo } from 'react'
import { rulesOf } from './address-rules.ts'
import type { AddressField, AddressValues } from './address-values.ts'

/** What the service says about fields, by code. */
export type AddressFaults = Readonly<Partial<Record<AddressField, string>>>

export interface AddressFieldsProps {
  values: AddressValues
  faults: AddressFaults
  /** Whether the order needs an email address, because the customer has no account. */
  needsEmail: boolean
  /** Whether the destination stays, because shipping and tax were calculated for it. */
  isDestinationFixed?: boolean
  onChange(field: AddressField, value: string): void
}

const FAULT_TEXTS: Readonly<Record<string, MessageKey>> = {
  required: 'order.fieldRequired',
  region_unknown: 'order.regionUnknown',
  email_required: 'order.fieldRequired',
}

/** The fields of a postal address, as its country writes them. */
export function AddressFields(props: AddressFieldsProps) {
  const { values, faults, needsEmail, isDestinationFixed = false, onChange } = props
  const { text } = useTexts()
  const country = isCountryCode(values.country) ? values.country : undefined
  const rules = rulesOf(country)
  const errorOf = (field: AddressField): string | undefined => {
    const code = faults[field]
    if (code === undefined) return undefined
    return text(FAULT_TEXTS[code] ?? (field === 'postalCode' ? 'order.postalCodeWrong' : 'order.fieldWrong'))
  }
  const field = (name: AddressField, label: MessageKey, autoComplete: string, more: FieldOptions = {}) => (
    <AddressText
      key={name}
      {...{ name, autoComplete, label: text(label), value: values[name], error: errorOf(name), ...more }}
      onChange={(value) => onChange(name, value)}
    />
  )
  const city = field('city', 'order.city', 'address-level2', { isRequired: true, maxLength: 100 })
  const postalCode =
    rules.postalCode === 'none'
      ? null
      : field('postalCode', rules.postalCodeLabel, 'postal-code', {
          isRequired: rules.postalCode === 'required',
          maxLength: 20,
          className: 'short',
        })
  return (
    <div className="address-fields">
      {isDestinationFixed ? null : (
        <CountryField
          value={values.country}
          error={errorOf('country')}
          onChange={(code) => onChange('country', code)}
        />
      )}
      {field('name', 'order.recipient', 'name', { isRequired: true })}
      {field('company', 'order.company', 'organization')}
      {field('line1', 'order.street', 'address-line1', { isRequired: true })}
      {field('line2', 'order.street2', 'address-line2')}
      <div className="address-row">
        {rules.isPostalCodeFirst ? [postalCode, city] : city}
        {isDestinationFixed ? null : (
          <RegionField
            {...{ values, rules, error: errorOf('region') }}
            onChange={(value) => onChange('region', value)}
          />
        )}
        {rules.isPostalCodeFirst ? null : postalCode}
      </div>
      {needsEmail
        ? field('email', 'common.email', 'email', {
            type: 'email',
            isRequired: true,
            maxLength: 254,
            description: text('order.emailHelp'),
          })
        : null}
      {field('phone', 'order.phone', 'tel', { type: 'tel', maxLength: 40, description: text('order.phoneHelp') })}
    </div>
  )
}

interface FieldOptions {
  isRequired?: boolean
  maxLength?: number
  type?: 'email' | 'tel'
  description?: string
  className?: string
}

interface AddressTextProps extends FieldOptions {
  name: string
  label: string
  autoComplete: string
  value: string
  error: string | undefined
  onChange(value: string): void
}

function AddressText({ label, isRequired = false, description, ...props }: AddressTextProps) {
  const { text } = useTexts()
  const note = description ?? (isRequired ? undefined : text('shop.optionalField'))
  return <TextField maxLength={200} {...props} label={label} isRequired={isRequired} description={note} />
}

interface CountryFieldProps {
  value: string
  error: string | undefined
  onChange(value: string): void
}

function CountryField(props: CountryFieldProps) {
  const { text, locale } = useTexts()
  const choices = useMemo(() => {
    const names = new Intl.DisplayNames([locale], { type: 'region' })
    const { compare } = new Intl.Collator(locale)
    return COUNTRY_CODES.map((id) => ({ id, text: names.of(id) ?? id })).sort((a, b) => compare(a.text, b.text))
  }, [locale])
  return (
    <NativeSelect
      {...props}
      label={text('order.country')}
      placeholder={text('order.choose')}
      choices={choices}
      autoComplete="country"
      isRequired
    />
  )
}

interface RegionFieldProps {
  values: AddressValues
  rules: ReturnType<typeof rulesOf>
  error: string | undefined
  onChange(value: string): void
}

function RegionField({ values, rules, error, onChange }: RegionFieldProps) {
  const { text } = useTexts()
  if (rules.region === 'none') return null
  const label = text(rules.regionLabel)
  const isRequired = rules.region === 'required'
  const shared = { label, isRequired, error, onChange, autoComplete: 'address-level1' }
  if (rules.regions === undefined) {
    return <AddressText {...shared} name="region" value={values.region} maxLength={100} />
  }
  return <NativeSelect {...shared} value={values.region} placeholder={text('order.choose')} choices={rules.regions} />
}
