import { platen } from '@platen/app/session'
import type { WebhookEndpoint } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useLocation } from 'wouter'
import { DevelopersDialog } from '../developers-dialog.tsx'
import { useDevelopersAction } from '../use-developers-action.ts'

export function DeleteEndpointDialog({ endpoint, onClose }: { endpoint: WebhookEndpoint; onClose(): void }) {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const remove = useDevelopersAction(async () => platen.webhookEndpoints.delete(endpoint.id), {
    done: text('consoleDevelopers.doneDelete'),
    onDone: () => navigate('/developers/webhooks'),
  })
  return (
    <DevelopersDialog
      title={text('consoleDevelopers.deleteEndpoint')}
      confirmLabel={text('consoleDevelopers.delete')}
      isDanger
      action={remove}
      onConfirm={() => remove.mutate()}
      onClose={onClose}
    >
      <p>{text('consoleDevelopers.deleteHelp')}</p>
    </DevelopersDialog>
  )
}
