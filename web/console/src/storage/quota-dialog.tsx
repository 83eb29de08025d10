import { platen } from '@platen/app/session'
import type { StorageAccount } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useState } from 'react'
import { DecimalField } from '../parts/decimal-field.tsx'
import { FormDialog } from '../parts/form-dialog.tsx'
import { useGuardedAction } from '../parts/use-guarded-action.ts'
import { problemText } from '../shell/problem-text.ts'
import { STORAGE } from './queries.ts'

const MEGABYTE = 1_000_000
/** So that a quota of any number of bytes is shown as it is. */
const DECIMALS = 6
/** More than any disk holds, and still an exact number of bytes. */
const MOST_MEGABYTES = 1_000_000_000

export interface QuotaDialogProps {
  account: StorageAccount
  onClose(): void
}

/** Gives an account a quota of its own, or the default again. */
export function QuotaDialog({ account: { userId, email, storageQuota }, onClose }: QuotaDialogProps) {
  const { text } = useTexts()
  const [megabytes, setMegabytes] = useState(storageQuota === null ? undefined : storageQuota / MEGABYTE)
  const isTooMuch = megabytes !== undefined && megabytes > MOST_MEGABYTES
  const change = useGuardedAction(
    STORAGE,
    () =>
      platen.storage.updateAccount(userId, {
        storageQuota: megabytes === undefined ? null : Math.round(megabytes * MEGABYTE),
      }),
    { done: text('consoleStorage.doneQuota'), onDone: onClose },
  )
  return (
    <FormDialog
      title={text('consoleStorage.changeQuota')}
      confirmLabel={text('consoleStorage.save')}
      isDisabled={isTooMuch}
      action={change}
      problemText={problemText}
      onConfirm={() => change.mutate()}
      onClose={onClose}
    >
      {email === null ? null : <p>{email}</p>}
      <DecimalField
        label={text('consoleStorage.ownQuota')}
        description={text('consoleStorage.ownQuotaHelp')}
        error={isTooMuch ? text('consoleStorage.tooMuch') : undefined}
        value={megabytes}
        onChange={setMegabytes}
        decimals={DECIMALS}
        step={100}
        unit="MB"
        autoFocus
      />
    </FormDialog>
  )
}
