import { platen } from '@platen/app/session'
import { useTexts } from '@platen/ui'
import { useLocation } from 'wouter'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { lastTableUrl } from '../../parts/table/use-place.ts'
import { useGuardedAction } from '../../parts/use-guarded-action.ts'
import { nameOf } from '../name-of.ts'
import { CUSTOMER_LISTS } from '../queries.ts'
import { customerProblemText } from './customer-problem-text.ts'
import type { CustomerDialogProps } from './dialog-props.ts'

/** Erases a customer, after naming what is lost. */
export function DeleteDialog({ customer, onClose }: CustomerDialogProps) {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const name = nameOf(customer)
  const erase = useGuardedAction(CUSTOMER_LISTS, () => platen.customers.delete(customer.id), {
    done: text('consoleCustomers.deleted', { name }),
    onDone: () => navigate(lastTableUrl('/customers')),
  })
  return (
    <FormDialog
      title={text('consoleCustomers.deleteNamed', { name })}
      confirmLabel={text('consoleCustomers.deleteForGood')}
      isDanger
      action={erase}
      problemText={customerProblemText}
      onConfirm={() => erase.mutate()}
      onClose={onClose}
    >
      <ul className="consequences">
        <li>{text('consoleCustomers.deletePersonal')}</li>
        <li>{text('consoleCustomers.deleteDesigns')}</li>
        <li>{text('consoleCustomers.deleteOrders')}</li>
        {customer.hasAccount ? <li>{text('consoleCustomers.deleteAccount')}</li> : null}
      </ul>
      <p>
        <strong>{text('consoleCustomers.noUndo')}</strong>
      </p>
    </FormDialog>
  )
}
