import { platen } from '@platen/app/session'
import type { StorageAccount } from '@platen/client'
import { TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { FormDialog } from '../parts/form/form-dialog.tsx'
import { useGuardedAction } from '../parts/use-guarded-action.ts'
import { problemText } from '../shell/problem-text.ts'
import { STORAGE } from './queries.ts'
import { MOST_BYTES, readSize, writeSize } from './size.ts'

export interface QuotaDialogProps {
  account: StorageAccount
  onClose(): void
}

/** Gives an account a quota of its own, or the default again. */
export function QuotaDialog({ account: { userId, email, storageQuota }, onClose }: QuotaDialogProps) {
  const { text, formats } = useTexts()
  // So that a quota of any number of bytes is shown as it is.
  const exact = (value: number): string => formats.number(value, { maximumFractionDigits: 12, useGrouping: false })
  const [typed, setTyped] = useState(storageQuota === null ? '' : writeSize(storageQuota, exact))
  const bytes = readSize(typed)
  const isUnreadable = typed.trim() !== '' && bytes === undefined
  const isTooMuch = bytes !== undefined && bytes > MOST_BYTES
  // The message waits until the unit may have been typed.
  const [isLeft, setLeft] = useState(false)
  const errorOf = (): string | undefined => {
    if (isTooMuch) return text('consoleStorage.tooMuch')
    return isUnreadable && isLeft ? text('consoleStorage.unreadable') : undefined
  }
  const change = useGuardedAction(
    STORAGE,
    () =>
      platen.storage.updateAccount(userId, {
        storageQuota: bytes ?? null,
      }),
    { done: text('consoleStorage.doneQuota'), onDone: onClose },
  )
  return (
    <FormDialog
      title={text('consoleStorage.changeQuota')}
      confirmLabel={text('consoleStorage.save')}
      isDisabled={isTooMuch || isUnreadable}
      action={change}
      problemText={problemText}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      {email === null ? null : <p>{email}</p>}
      <TextField
        label={text('consoleStorage.ownQuota')}
        description={text('consoleStorage.ownQuotaHelp')}
        error={errorOf()}
        value={typed}
        onChange={setTyped}
        onBlur={() => setLeft(true)}
        maxLength={30}
        autoComplete="off"
        autoFocus
      />
    </FormDialog>
  )
}
