import { notices } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { WebhookEndpoint } from '@platen/client'
import { TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { DevelopersDialog } from '../developers-dialog.tsx'
import { useDevelopersAction } from '../use-developers-action.ts'

const isTime = (value: string): boolean => !Number.isNaN(new Date(value).getTime())

/** Delivers the events of a time range again. Times are those of the browser. */
export function ReplayDialog({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose(): void }) {
  const { text } = useTexts()
  const [from, setFrom] = useState('')
  const [to, setTo] = useState('')
  const replay = useDevelopersAction(
    async () =>
      platen.webhookEndpoints.replayEvents(endpoint.id, {
        from: new Date(from).toISOString(),
        ...(to === '' ? {} : { to: new Date(to).toISOString() }),
      }),
    {
      onDone: ({ count }) => {
        notices.add({ text: text('consoleDevelopers.doneReplay', { count }), tone: 'good' })
        onClose()
      },
    },
  )
  return (
    <DevelopersDialog
      title={text('consoleDevelopers.replay')}
      confirmLabel={text('consoleDevelopers.replay')}
      isDisabled={!isTime(from) || (to !== '' && !isTime(to))}
      action={replay}
      onConfirm={() => replay.mutate()}
      onClose={onClose}
    >
      <p>{text('consoleDevelopers.replayHelp')}</p>
      <TextField
        label={text('console.fromDay')}
        type="datetime-local"
        value={from}
        onChange={setFrom}
        isRequired
        autoFocus
      />
      <TextField
        label={text('console.toDay')}
        description={text('consoleDevelopers.toHelp')}
        type="datetime-local"
        value={to}
        onChange={setTo}
      />
    </DevelopersDialog>
  )
}
