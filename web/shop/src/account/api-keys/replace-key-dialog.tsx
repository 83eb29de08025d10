import { platen } from '@platen/app/session'
import type { ApiKey } from '@platen/client'
import { Button, Dialog, Select, useTexts } from '@platen/ui'
import { type FormEvent, useState } from 'react'
import { ErrorBanner } from '../frame/error-banner.tsx'
import { useAction } from '../frame/use-action.ts'

const HOUR = 3_600
const DAY = 86_400

/** Seconds for which the present key remains valid. */
const OVERLAPS = ['0', String(HOUR), String(DAY), String(7 * DAY)] as const

export interface ReplaceKeyDialogProps {
  apiKey: ApiKey
  onReplaced(key: string): void
  onClose(): void
}

/** Replaces the secret of an API key. The program that uses it can have time to change over. */
export function ReplaceKeyDialog({ apiKey: { id, name }, onReplaced, onClose }: ReplaceKeyDialogProps) {
  const { text } = useTexts()
  const [overlap, setOverlap] = useState<string>(String(DAY))
  const replace = useAction(
    () => platen.apiKeys.rotate(id, { overlapSeconds: Number(overlap) }),
    ({ key }) => onReplaced(key ?? ''),
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    replace.mutate()
  }
  const textOf = (seconds: number): string => {
    if (seconds === 0) return text('account.atOnce')
    return seconds < DAY
      ? text('account.hours', { count: seconds / HOUR })
      : text('account.days', { count: seconds / DAY })
  }
  return (
    <Dialog
      title={text('account.replaceKey', { name })}
      isOpen
      staysOpen
      onClose={onClose}
      closeLabel={text('common.cancel')}
    >
      <form className="form" onSubmit={submit}>
        <ErrorBanner error={replace.error} />
        <p>{text('account.replaceHelp')}</p>
        <Select
          label={text('account.oldKeyEnds')}
          choices={OVERLAPS.map((seconds) => ({ id: seconds, text: textOf(Number(seconds)) }))}
          value={overlap}
          onChange={setOverlap}
        />
        <Button type="submit" look="primary" isPending={replace.isPending}>
          {text('account.replaceNow')}
        </Button>
      </form>
    </Dialog>
  )
}
