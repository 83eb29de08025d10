import { platen } from '@platen/app/session'
import type { ManagedUser } from '@platen/client'
import { Button, type MessageKey, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { Section } from '../../parts/page/section.tsx'
import { ResetActions } from '../factor-resets/reset-actions.tsx'
import { ResetStatus } from '../factor-resets/reset-status.tsx'
import { PeopleDialog } from '../people-dialog.tsx'
import { factorResetListQuery } from '../queries.ts'
import { usePeopleAction } from '../use-people-action.ts'
import type { UserPartProps } from './user-part-props.ts'

const FACTORS: Readonly<Record<ManagedUser['secondFactors'][number], MessageKey>> = {
  totp: 'consolePeople.factorApp',
  sms: 'consolePeople.factorMessage',
  webauthn: 'consolePeople.factorPasskey',
}

/** The second factors of a user, and help if they are lost. */
export function FactorsSection({ user, viewer }: UserPartProps) {
  const { text } = useTexts()
  const [isStarting, setStarting] = useState(false)
  const waiting = useQuery(factorResetListQuery({ userId: user.id, status: 'waiting', limit: 1 })).data?.data[0]
  const isOwn = user.id === viewer.id
  const canStart = user.secondFactors.length > 0 && waiting === undefined && !isOwn
  useShortcuts(canStart ? [{ title: 'consolePeople.factorsLost', run: () => setStarting(true) }] : [])
  if (user.secondFactors.length === 0) {
    return (
      <Section title={text('consolePeople.secondFactors')}>
        <p className="note">{text('consolePeople.noFactors')}</p>
      </Section>
    )
  }
  return (
    <Section title={text('consolePeople.secondFactors')}>
      <p>{user.secondFactors.map((factor) => text(FACTORS[factor])).join(', ')}</p>
      {isOwn ? <p className="note">{text('consolePeople.resetNotOwn')}</p> : null}
      {canStart ? <Button onPress={() => setStarting(true)}>{text('consolePeople.factorsLost')}</Button> : null}
      {waiting === undefined ? null : (
        <div className="reset">
          <ResetStatus reset={waiting} />
          <ResetActions reset={waiting} viewer={viewer} />
        </div>
      )}
      {isStarting ? <StartDialog user={user} onClose={() => setStarting(false)} /> : null}
    </Section>
  )
}

function StartDialog({ user, onClose }: Pick<UserPartProps, 'user'> & { onClose(): void }) {
  const { text } = useTexts()
  const start = usePeopleAction(() => platen.users.startFactorReset(user.id), {
    done: text('consolePeople.resetStarted'),
    onDone: onClose,
  })
  return (
    <PeopleDialog
      title={text('consolePeople.factorsLost')}
      confirmLabel={text('consolePeople.requestRemoval')}
      action={start}
      onConfirm={() => start.mutate()}
      onClose={onClose}
    >
      <p>{text('consolePeople.factorsLostHelp', { email: user.email })}</p>
    </PeopleDialog>
  )
}
