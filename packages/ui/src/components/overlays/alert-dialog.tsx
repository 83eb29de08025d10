import type { ReactNode } from 'react'
import { Button } from '../actions/button.tsx'
import { Dialog } from './dialog.tsx'

export interface AlertDialogProps {
  title: string
  isOpen: boolean
  /** Names what happens, such as "Delete": never "OK". */
  confirmLabel: string
  cancelLabel: string
  isDanger?: boolean
  isPending?: boolean
  onConfirm(): void
  onCancel(): void
  children: ReactNode
}

/** Asks before something that cannot be undone. Prefer to offer undo afterwards. */
export function AlertDialog(props: AlertDialogProps) {
  const { title, isOpen, confirmLabel, cancelLabel, isDanger = false, isPending = false, onConfirm, onCancel } = props
  return (
    <Dialog
      role="alertdialog"
      size="small"
      title={title}
      isOpen={isOpen}
      closeLabel={cancelLabel}
      onClose={onCancel}
      footer={
        <>
          <Button onPress={onCancel} autoFocus>
            {cancelLabel}
          </Button>
          <Button look={isDanger ? 'danger' : 'primary'} isPending={isPending} onPress={onConfirm}>
            {confirmLabel}
          </Button>
        </>
      }
    >
      {props.children}
    </Dialog>
  )
}
