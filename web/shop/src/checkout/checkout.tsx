import { Loading, Page } from '@platen/app/frame'
import { useAccount } from '@platen/app/session'
import { Button, useTexts } from '@platen/ui'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { Link, Redirect } from 'wouter'
import { AddressFields } from './address/address-form.tsx'
import {
  type AddressField,
  type AddressValues,
  addressOf,
  emptyValues,
  readAddress,
  rememberAddress,
} from './address/address-values.ts'
import { CheckoutProblem } from './checkout-problem.tsx'
import { Review } from './review.tsx'
import { type Checkout as CheckoutState, useCheckout } from './use-checkout.ts'

/** The postal address first, then the quote for it, which the customer orders. */
export function Checkout({ owner }: { owner: string }) {
  const { text } = useTexts()
  const account = useAccount()
  const checkout = useCheckout()
  const [values, setValues] = useState<AddressValues>(() => readAddress(owner) ?? firstValues(account))
  const { items, quote, isOrdering } = checkout
  if (isOrdering && items.length === 0) return <Loading />
  if (items.length === 0) return <Redirect to="/cart" replace />
  const change = (field: AddressField, value: string): void =>
    setValues((before) => ({ ...before, ...(field === 'country' ? { region: '' } : {}), [field]: value }))
  const submit = (): void => {
    const address = addressOf(values)
    if (address === undefined) return
    rememberAddress(owner, values)
    checkout.ask(address)
  }
  return (
    <Page title={text('order.checkout')}>
      {quote === undefined ? (
        <AddressStep {...{ checkout, values }} onChange={change} onSubmit={submit} />
      ) : (
        <Review checkout={checkout} quote={quote} values={values} />
      )}
    </Page>
  )
}

function firstValues(account: ReturnType<typeof useAccount>): AddressValues {
  return { ...emptyValues(), name: account.kind === 'user' ? (account.user.name ?? '') : '' }
}

interface AddressStepProps {
  checkout: CheckoutState
  values: AddressValues
  onChange(field: AddressField, value: string): void
  onSubmit(): void
}

function AddressStep({ checkout, values, onChange, onSubmit }: AddressStepProps) {
  const { text } = useTexts()
  const account = useAccount()
  const form = useRef<HTMLFormElement>(null)
  const { addressFaults, isQuoting, error } = checkout
  const [edited, setEdited] = useState<readonly AddressField[]>([])
  const shown = Object.fromEntries(Object.entries(addressFaults).filter(([field]) => !edited.some((f) => f === field)))
  const first = Object.keys(addressFaults)[0]
  useEffect(() => {
    if (error !== null && first !== undefined)
      form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [error, first])
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    setEdited([])
    onSubmit()
  }
  return (
    <form ref={form} className="form checkout-form" onSubmit={submit}>
      <h2>{text('order.shippingAddress')}</h2>
      <CheckoutProblem checkout={checkout} />
      <AddressFields
        values={values}
        faults={shown}
        needsEmail={account.kind === 'guest'}
        onChange={(field, value) => {
          setEdited((before) => [...before, field])
          onChange(field, value)
        }}
      />
      <Button type="submit" look="primary" isPending={isQuoting}>
        {text('order.toReview')}
      </Button>
      <p className="form-links">
        <Link href="/cart">{text('order.backToCart')}</Link>
      </p>
    </form>
  )
}
