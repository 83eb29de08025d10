import { platen } from '@platen/app/session'
import type { WebhookEndpoint } from '@platen/client'
import { Banner, Select, useTexts } from '@platen/ui'
import { useState } from 'react'
import { DevelopersDialog } from '../developers-dialog.tsx'
import { OVERLAPS } from '../overlaps.ts'
import { useDevelopersAction } from '../use-developers-action.ts'
import { isDue } from './status.ts'

export interface RotateSecretDialogProps {
  endpoint: WebhookEndpoint
  /** @param overlapSeconds for how long the old secret is valid from now on */
  onRotated(secret: string | null, overlapSeconds: number): void
  onClose(): void
}

/** Replaces the secret with which requests are signed. The receiver can have time to change over. */
export function RotateSecretDialog({ endpoint, onRotated, onClose }: RotateSecretDialogProps) {
  const { text, formats } = useTexts()
  const { previousSecretEndsAt: ends } = endpoint
  const [overlap, setOverlap] = useState<string>('86400')
  const rotate = useDevelopersAction(
    async () => platen.webhookEndpoints.rotateSecret(endpoint.id, { overlapSeconds: Number(overlap) }),
    { onDone: ({ secret }) => onRotated(secret, Number(overlap)) },
  )
  return (
    <DevelopersDialog
      title={text('consoleDevelopers.rotate')}
      confirmLabel={text('consoleDevelopers.rotate')}
      action={rotate}
      onConfirm={() => rotate.mutate()}
      onClose={onClose}
    >
      <p>{text('consoleDevelopers.rotateHelp')}</p>
      {ends === undefined || isDue(ends) ? null : (
        <Banner tone="warning">{text('consoleDevelopers.rotateTwice', { time: formats.dateTime(ends) })}</Banner>
      )}
      <Select
        label={text('consoleDevelopers.oldSecretEnds')}
        choices={OVERLAPS.map(({ id, text: key }) => ({ id, text: text(key) }))}
        value={overlap}
        onChange={setOverlap}
      />
    </DevelopersDialog>
  )
}
