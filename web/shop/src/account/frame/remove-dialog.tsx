import { AlertDialog, useTexts } from '@platen/ui'
import type { ReactNode } from 'react'
import { ErrorBanner } from './error-banner.tsx'

export interface RemoveDialogProps {
  title: string
  /** The removal, from `useAction`. */
  action: {
    mutate(input: undefined, options: { onSuccess(): void }): void
    isPending: boolean
    error: Error | null
    reset(): void
  }
  onClose(): void
  confirmLabel?: string
  /** What the removal means. */
  children: ReactNode
}

/** Asks before something is removed from the account. */
export function RemoveDialog({ title, action, onClose, confirmLabel, children }: RemoveDialogProps) {
  const { text } = useTexts()
  const close = (): void => {
    action.reset()
    onClose()
  }
  return (
    <AlertDialog
      title={title}
      isOpen
      isDanger
      isPending={action.isPending}
      confirmLabel={confirmLabel ?? text('account.remove')}
      cancelLabel={text('common.cancel')}
      onCancel={close}
      onConfirm={() => action.mutate(undefined, { onSuccess: onClose })}
    >
      <p>{children}</p>
      <ErrorBanner error={action.error} />
    </AlertDialog>
  )
}
