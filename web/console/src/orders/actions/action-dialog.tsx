import type { Order } from '@platen/client'
import { FormDialog, type FormDialogProps } from '../../parts/form/form-dialog.tsx'
import { orderProblemText } from './order-problem-text.ts'

export interface ActionDialogProps extends Omit<FormDialogProps, 'problemText' | 'about'> {
  order: Order
  /** What else of the order matters for the action, beside its number and recipient. */
  fact?: string
  action: FormDialogProps['action'] & {
    /** What others have changed since the operator saw the order. */
    news: string | undefined
  }
}

/** Names the order, asks for what an action on it needs, and says why it failed. */
export function ActionDialog({ order, fact, ...props }: ActionDialogProps) {
  const { news = '' } = props.action
  const { name, company, city } = order.shippingAddress
  return (
    <FormDialog
      problemText={(texts, error) => `${orderProblemText(texts, error)} ${news}`.trim()}
      about={
        <>
          <b className="action-number">{order.number}</b>
          {['', `${company ?? name}, ${city}`, ...(fact === undefined ? [] : [fact])].join(' · ')}
        </>
      }
      {...props}
    />
  )
}
