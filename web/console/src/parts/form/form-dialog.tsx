import type { ProblemText } from '@platen/app/frame'
import { isCancelled } from '@platen/app/sign-in'
import { Banner, Button, Dialog, useTexts } from '@platen/ui'
import { type FormEvent, type ReactNode, useId, useRef } from 'react'
import { commitField } from './commit-field.ts'
import { RequiredNote } from './required-note.tsx'

export interface FormDialogProps {
  title: string
  /** The record that the action changes: the first line, which screen readers read after the title. */
  about?: ReactNode
  /** Names what happens, such as "Ship": never "OK". */
  confirmLabel: string
  isDanger?: boolean
  isDisabled?: boolean
  action: { isPending: boolean; error: Error | null }
  /** Says why the action failed. */
  problemText: ProblemText
  onConfirm(): void
  onClose(): void
  /** What the action means, and what it needs. */
  children: ReactNode
}

/** Asks for what an action needs, and says why it failed. */
export function FormDialog(props: FormDialogProps) {
  const { title, confirmLabel, isDanger = false, isDisabled = false, action, onConfirm, onClose, children } = props
  const texts = useTexts()
  const aboutId = useId()
  const latest = useRef({ isDisabled, onConfirm })
  latest.current = { isDisabled, onConfirm }
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    commitField()
    if (!latest.current.isDisabled && !action.isPending) latest.current.onConfirm()
  }
  return (
    <Dialog
      title={title}
      isOpen
      staysOpen
      onClose={onClose}
      closeLabel={texts.text('common.close')}
      size="small"
      aria-describedby={props.about === undefined ? undefined : aboutId}
    >
      <form className="form action-form" onSubmit={submit}>
        {props.about === undefined ? null : (
          <p id={aboutId} className="note">
            {props.about}
          </p>
        )}
        {children}
        <RequiredNote />
        {action.error === null || isCancelled(action.error) ? null : (
          <Banner tone="danger" isLive>
            {props.problemText(texts, action.error)}
          </Banner>
        )}
        <div className="dialog-buttons">
          <Button onPress={onClose}>{texts.text('common.cancel')}</Button>
          <Button
            type="submit"
            look={isDanger ? 'danger' : 'primary'}
            isPending={action.isPending}
            isDisabled={isDisabled}
          >
            {confirmLabel}
          </Button>
        </div>
      </form>
    </Dialog>
  )
}
