import { notices } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { AuditLogVerification, OwnUser } from '@platen/client'
import { Banner, Button, type MessageKey, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { mayUse } from '../../access/may-use.ts'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { useGuardedAction } from '../../parts/use-guarded-action.ts'
import { SYSTEM, systemStatusQuery } from '../queries.ts'
import { systemProblemText } from '../system-problem-text.ts'

const FAULTS: Readonly<Record<string, MessageKey>> = {
  missing: 'consoleSystem.faultMissing',
  changed: 'consoleSystem.faultChanged',
  personal_changed: 'consoleSystem.faultPersonalChanged',
  start_moved: 'consoleSystem.faultStartMoved',
  cut_off: 'consoleSystem.faultCutOff',
  other_head: 'consoleSystem.faultOtherHead',
}

/** The result of the last verification of the audit log, and a button that requests another one. */
export function AuditVerification({ user }: { user: OwnUser }) {
  const { text, formats } = useTexts()
  const { auditLog } = useQuery(systemStatusQuery()).data ?? {}
  if (auditLog === undefined) return null
  const { verifiedAt, entries, fault, pending } = auditLog
  const action = mayUse(user, 'system:write') ? <VerifyNow isPending={pending} /> : undefined
  if (fault !== null) return <AuditFault auditLog={auditLog} action={action} />
  return (
    <Banner tone={verifiedAt === null ? 'info' : 'good'} action={action} isLive>
      {verifiedAt === null
        ? text('consoleSystem.notVerified')
        : text('consoleSystem.verified', { ago: formats.ago(verifiedAt), count: entries })}
    </Banner>
  )
}

/** Warns that the audit log was changed, and names the first entry that was. */
export function AuditFault({ auditLog, action }: { auditLog: AuditLogVerification; action?: ReactNode }) {
  const { text, formats } = useTexts()
  const { fault, verifiedAt } = auditLog
  if (fault === null || verifiedAt === null) return null
  const { kind, sequence, eventId } = fault
  const entry = eventId === null ? formats.number(sequence) : `${formats.number(sequence)} (${eventId})`
  return (
    <Banner tone="danger" action={action} isLive>
      <strong>{text('consoleSystem.broken')}</strong> {text(FAULTS[kind] ?? 'consoleSystem.faultChanged', { entry })}{' '}
      {text('consoleSystem.brokenHelp', { ago: formats.ago(verifiedAt) })}
    </Banner>
  )
}

function VerifyNow({ isPending }: { isPending: boolean }) {
  const texts = useTexts()
  const verify = useGuardedAction(SYSTEM, async () => platen.system.verifyAuditLog(), {})
  const run = (): void =>
    verify.mutate(undefined, {
      onError: (error) => notices.add({ text: systemProblemText(texts, error), tone: 'danger' }),
    })
  useShortcuts([{ title: 'consoleSystem.verifyNow', run }])
  return (
    <Button isPending={isPending || verify.isPending} onPress={run}>
      {texts.text('consoleSystem.verifyNow')}
    </Button>
  )
}
