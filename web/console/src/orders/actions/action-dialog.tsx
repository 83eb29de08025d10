import { FormDialog, type FormDialogProps } from '../../parts/form-dialog.tsx'
import { orderProblemText } from './order-problem-text.ts'

/** Asks for what an action on an order needs, and says why it failed. */
export function ActionDialog(props: Omit<FormDialogProps, 'problemText'>) {
  return <FormDialog problemText={orderProblemText} {...props} />
}
