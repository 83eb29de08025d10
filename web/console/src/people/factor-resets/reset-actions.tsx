import { platen } from '@platen/app/session'
import type { FactorReset, OwnUser } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { PeopleDialog } from '../people-dialog.tsx'
import { userQuery } from '../queries.ts'
import { usePeopleAction } from '../use-people-action.ts'

interface DialogProps {
  reset: FactorReset
  onClose(): void
}

/** The administrator who requested the removal, and the owner of the account, cannot confirm it. All can stop it. */
export function ResetActions({ reset, viewer }: { reset: FactorReset; viewer: OwnUser }) {
  const { text } = useTexts()
  const [open, setOpen] = useState<'confirm' | 'stop'>()
  const close = (): void => setOpen(undefined)
  const { email: of = reset.userId } = useQuery(userQuery(reset.userId)).data ?? {}
  const isWaiting = reset.status === 'waiting'
  const needsAnother = reset.startedBy === viewer.id || reset.userId === viewer.id
  useShortcuts([
    ...(isWaiting && !needsAnother
      ? [{ title: 'consolePeople.confirmReset' as const, of, run: () => setOpen('confirm') }]
      : []),
    ...(isWaiting ? [{ title: 'consolePeople.stopReset' as const, of, run: () => setOpen('stop') }] : []),
  ])
  if (!isWaiting) return null
  return (
    <div className="actions">
      {needsAnother ? (
        <span className="note">{text('consolePeople.needsAnother')}</span>
      ) : (
        <Button look="primary" onPress={() => setOpen('confirm')}>
          {text('consolePeople.confirmReset')}
        </Button>
      )}
      <Button onPress={() => setOpen('stop')}>{text('consolePeople.stopReset')}</Button>
      {open === 'confirm' ? <ConfirmDialog reset={reset} onClose={close} /> : null}
      {open === 'stop' ? <StopDialog reset={reset} onClose={close} /> : null}
    </div>
  )
}

function ConfirmDialog({ reset, onClose }: DialogProps) {
  const { text } = useTexts()
  const confirm = usePeopleAction(() => platen.factorResets.confirm(reset.id), {
    done: text('consolePeople.factorsRemoved'),
    onDone: onClose,
  })
  return (
    <PeopleDialog
      title={text('consolePeople.confirmReset')}
      confirmLabel={text('consolePeople.removeFactors')}
      isDanger
      action={confirm}
      onConfirm={() => confirm.mutate()}
      onClose={onClose}
    >
      <p>{text('consolePeople.confirmResetHelp')}</p>
    </PeopleDialog>
  )
}

function StopDialog({ reset, onClose }: DialogProps) {
  const { text } = useTexts()
  const stop = usePeopleAction(() => platen.factorResets.stop(reset.id), {
    done: text('consolePeople.resetIsStopped'),
    onDone: onClose,
  })
  return (
    <PeopleDialog
      title={text('consolePeople.stopReset')}
      confirmLabel={text('consolePeople.stopReset')}
      action={stop}
      onConfirm={() => stop.mutate()}
      onClose={onClose}
    >
      <p>{text('consolePeople.stopResetHelp')}</p>
    </PeopleDialog>
  )
}
