import type { FactorReset } from '@platen/client'
import { useTexts } from '@platen/ui'
import { Pill } from '../../parts/pill.tsx'

/** Where a request is, and when it ends without a second administrator. */
export function ResetStatus({ reset: { status, dueAt, endedAt } }: { reset: FactorReset }) {
  const { text, formats } = useTexts()
  if (status === 'waiting') {
    return (
      <>
        <Pill tone="warning">{text('consolePeople.resetWaiting')}</Pill>
        <span className="cell-note">{text('consolePeople.resetDue', { date: formats.dateTime(dueAt) })}</span>
      </>
    )
  }
  return (
    <>
      <Pill tone={status === 'completed' ? 'good' : 'neutral'}>
        {text(status === 'completed' ? 'consolePeople.resetCompleted' : 'consolePeople.resetStopped')}
      </Pill>
      {endedAt === null ? null : <span className="cell-note">{formats.dateTime(endedAt)}</span>}
    </>
  )
}
