import { platen } from '@platen/app/session'
import { NativeSelect, TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { useGuardedAction } from '../../parts/use-guarded-action.ts'
import { CUSTOMER } from '../queries.ts'
import { customerProblemText } from './customer-problem-text.ts'
import type { CustomerDialogProps } from './dialog-props.ts'

const textOrNull = (value: string): string | null => (value.trim() === '' ? null : value.trim())

/** Changes what the shop knows of a customer. The owner of an account changes its email address. */
export function EditDialog({ customer, onClose }: CustomerDialogProps) {
  const { text } = useTexts()
  const { id, hasAccount } = customer
  const [fields, setFields] = useState({
    name: customer.name ?? '',
    email: customer.email ?? '',
    externalId: customer.externalId ?? '',
    locale: customer.locale ?? '',
  })
  const change = useGuardedAction(
    CUSTOMER,
    () => {
      const { email, ...others } = fields
      const sent = hasAccount ? others : { ...others, email }
      const body = Object.fromEntries(Object.entries(sent).map(([name, value]) => [name, textOrNull(value)]))
      return platen.customers.update(id, body)
    },
    { done: text('consoleCustomers.changed'), onDone: onClose },
  )
  const field = (name: keyof typeof fields) => ({
    value: fields[name],
    onChange: (value: string) => setFields({ ...fields, [name]: value }),
  })
  return (
    <FormDialog
      title={text('consoleCustomers.edit')}
      confirmLabel={text('consoleCustomers.save')}
      action={change}
      problemText={customerProblemText}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      <TextField label={text('consoleCustomers.name')} maxLength={100} autoFocus {...field('name')} />
      {hasAccount ? (
        <p className="note">{text('consoleCustomers.emailOfOwner')}</p>
      ) : (
        <TextField label={text('console.email')} type="email" maxLength={254} {...field('email')} />
      )}
      <TextField
        label={text('console.externalId')}
        description={text('consoleCustomers.externalIdHelp')}
        maxLength={200}
        {...field('externalId')}
      />
      <NativeSelect
        label={text('consoleCustomers.language')}
        placeholder={text('consoleCustomers.noLanguage')}
        choices={[
          { id: 'en', text: 'English' },
          { id: 'de', text: 'Deutsch' },
        ]}
        {...field('locale')}
      />
    </FormDialog>
  )
}
