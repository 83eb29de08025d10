import { platen } from '@platen/app/session'
import { NativeSelect, useTexts } from '@platen/ui'
import { useState } from 'react'
import { SecretDialog } from '../../developers/secret-dialog.tsx'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { useGuardedAction } from '../../parts/use-guarded-action.ts'
import { nameOf } from '../name-of.ts'
import { CUSTOMER } from '../queries.ts'
import { customerProblemText } from './customer-problem-text.ts'
import type { CustomerDialogProps } from './dialog-props.ts'

/** The service issues none for longer. */
const LONGEST = 15
const SHORTER = [1, 5] as const

/** Issues a token that acts as a customer, and shows it once. */
export function TokenDialog({ customer, onClose }: CustomerDialogProps) {
  const { text } = useTexts()
  const [chosen, setChosen] = useState('')
  const minutes = chosen === '' ? LONGEST : Number(chosen)
  const name = nameOf(customer)
  const issue = useGuardedAction(
    CUSTOMER,
    () => platen.customers.createToken(customer.id, { expiresInSeconds: minutes * 60 }),
    {},
  )
  if (issue.data !== undefined) return <Issued token={issue.data.token} minutes={minutes} onClose={onClose} />
  return (
    <FormDialog
      title={text('consoleCustomers.issueTokenNamed', { name })}
      confirmLabel={text('consoleCustomers.issueToken')}
      action={issue}
      problemText={customerProblemText}
      onConfirm={() => issue.mutate()}
      onClose={onClose}
    >
      <ul className="consequences">
        <li>{text('consoleCustomers.tokenActs', { name })}</li>
        <li>{text('consoleCustomers.tokenEnds')}</li>
        <li>{text('consoleCustomers.tokenAudited')}</li>
      </ul>
      <NativeSelect
        label={text('consoleCustomers.validity')}
        placeholder={text('consoleCustomers.minutes', { count: LONGEST })}
        choices={SHORTER.map((count) => ({ id: String(count), text: text('consoleCustomers.minutes', { count }) }))}
        value={chosen}
        onChange={setChosen}
      />
    </FormDialog>
  )
}

function Issued({ token, minutes, onClose }: { token: string | null; minutes: number; onClose(): void }) {
  const { text } = useTexts()
  return (
    <SecretDialog
      title={text('consoleCustomers.tokenOfCustomer')}
      secret={token}
      help={text('consoleCustomers.tokenShown', { count: minutes })}
      lost={text('consoleCustomers.tokenLost')}
      done={text('common.close')}
      onClose={onClose}
    />
  )
}
