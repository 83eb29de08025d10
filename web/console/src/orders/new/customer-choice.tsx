import { platen } from '@platen/app/session'
import type { OwnUser } from '@platen/client'
import { Button, TextField, useTexts } from '@platen/ui'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { mayUse } from '../../access/may-use.ts'
import { nameOf } from '../../customers/name-of.ts'
import { customerListQuery } from '../../customers/queries.ts'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { Section } from '../../parts/page/section.tsx'
import { SearchField } from '../../parts/table/search-field.tsx'
import { newOrderProblemText } from './problem-text.ts'

const SHOWN = 10

export interface CustomerChoiceProps {
  user: OwnUser
  onChoose(customerId: string): void
}

/** Asks for whom the order is. Customers with a sign-in order in the shop themselves. */
export function CustomerChoice({ user, onChoose }: CustomerChoiceProps) {
  const { text } = useTexts()
  const [q, setQ] = useState('')
  const [isAdding, setIsAdding] = useState(false)
  const found = useQuery(customerListQuery({ limit: 100, ...(q === '' ? {} : { q }) }))
  const customers = found.data?.data.filter(({ hasAccount, guest }) => !hasAccount && !guest) ?? []
  return (
    <Section
      title={text('console.customer')}
      action={
        mayUse(user, 'customers:write') ? (
          <Button onPress={() => setIsAdding(true)}>{text('console.addCustomer')}</Button>
        ) : null
      }
    >
      <p className="note">{text('consoleNewOrder.customerHelp')}</p>
      <SearchField
        label={text('console.searchCustomers')}
        hint={text('console.searchCustomersHint')}
        value={q}
        onChange={setQ}
      />
      {found.isSuccess && customers.length === 0 ? <p className="note">{text('consoleNewOrder.noCustomer')}</p> : null}
      <ul className="choices" aria-label={text('console.customers')}>
        {customers.slice(0, SHOWN).map((customer) => (
          <li key={customer.id}>
            <Button look="quiet" onPress={() => onChoose(customer.id)}>
              {nameOf(customer)}
            </Button>
          </li>
        ))}
      </ul>
      {isAdding ? <NewCustomerDialog onClose={() => setIsAdding(false)} onDone={onChoose} /> : null}
    </Section>
  )
}

/** Adds a customer without a sign-in. */
export function NewCustomerDialog({ onClose, onDone }: { onClose(): void; onDone(customerId: string): void }) {
  const { text } = useTexts()
  const [fields, setFields] = useState({ externalId: '', name: '', email: '' })
  const add = useMutation({
    mutationFn: async () => {
      const [name, email] = [fields.name.trim(), fields.email.trim()]
      const more = { ...(name === '' ? {} : { name }), ...(email === '' ? {} : { email }) }
      return platen.customers.create({ externalId: fields.externalId.trim(), ...more })
    },
    onSuccess: ({ id }) => onDone(id),
  })
  const field = (key: keyof typeof fields) => ({
    value: fields[key],
    onChange: (value: string) => setFields({ ...fields, [key]: value }),
  })
  return (
    <FormDialog
      title={text('console.addCustomer')}
      confirmLabel={text('console.addCustomer')}
      isDisabled={fields.externalId.trim() === ''}
      action={add}
      problemText={newOrderProblemText}
      onConfirm={() => add.mutate()}
      onClose={onClose}
    >
      <TextField
        label={text('console.externalId')}
        description={text('consoleNewOrder.externalIdHelp')}
        maxLength={200}
        isRequired
        autoFocus
        {...field('externalId')}
      />
      <TextField
        label={text('consoleNewOrder.name')}
        description={text('console.optional')}
        maxLength={200}
        {...field('name')}
      />
      <TextField
        label={text('console.email')}
        description={text('console.optional')}
        type="email"
        maxLength={254}
        {...field('email')}
      />
    </FormDialog>
  )
}
