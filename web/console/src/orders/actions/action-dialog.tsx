import { FormDialog, type FormDialogProps } from '../../parts/form-dialog.tsx'
import { orderProblemText } from './order-problem-text.ts'

export interface ActionDialogProps extends Omit<FormDialogProps, 'problemText'> {
  action: FormDialogProps['action'] & {
    /** What others have changed since the operator saw the order. */
    news: string | undefined
  }
}

/** Asks for what an action on an order needs, and says why it failed. */
export function ActionDialog(props: ActionDialogProps) {
  const { news = '' } = props.action
  return <FormDialog problemText={(texts, error) => `${orderProblemText(texts, error)} ${news}`.trim()} {...props} />
}
