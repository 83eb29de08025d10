import { platen } from '@platen/app/session'
import type { WebhookEndpoint } from '@platen/client'
import { Select, useTexts } from '@platen/ui'
import { useState } from 'react'
import { DevelopersDialog } from '../developers-dialog.tsx'
import { OVERLAPS } from '../overlaps.ts'
import { useDevelopersAction } from '../use-developers-action.ts'

export interface RotateSecretDialogProps {
  endpoint: WebhookEndpoint
  /** @param overlapSeconds for how long the old secret is valid from now on */
  onRotated(secret: string | null, overlapSeconds: number): void
  onClose(): void
}

/** Replaces the secret with which requests are signed. The receiver can have time to change over. */
export function RotateSecretDialog({ endpoint, onRotated, onClose }: RotateSecretDialogProps) {
  const { text } = useTexts()
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
      <Select
        label={text('consoleDevelopers.oldSecretEnds')}
        choices={OVERLAPS.map(({ id, text: key }) => ({ id, text: text(key) }))}
        value={overlap}
        onChange={setOverlap}
      />
    </DevelopersDialog>
  )
}
