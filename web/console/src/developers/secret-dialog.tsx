import { CopyButton } from '@platen/app/copy-button'
import { Button, Dialog, useTexts } from '@platen/ui'

export interface SecretDialogProps {
  title: string
  /** Null if a lost response was repeated: the service returns a secret once. */
  secret: string | null
  /** What the secret is for. */
  help: string
  /** What happens to the secret that it replaces. */
  note?: string
  onClose(): void
}

/** Shows a secret that cannot be shown again. Only its button closes it, so that no stray key loses the secret. */
export function SecretDialog({ title, secret, help, note, onClose }: SecretDialogProps) {
  const { text } = useTexts()
  return (
    <Dialog
      title={title}
      isOpen
      staysOpen
      onClose={secret === null ? onClose : undefined}
      closeLabel={text('common.close')}
      size="small"
    >
      <div className="form">
        <p>{secret === null ? text('consoleDevelopers.secretLost') : help}</p>
        {secret === null ? null : <code className="shown-secret">{secret}</code>}
        {note === undefined ? null : <p>{note}</p>}
        <div className="dialog-buttons">
          {secret === null ? null : <CopyButton copied={secret} label={text('account.copy')} />}
          <Button look="primary" onPress={onClose}>
            {text(secret === null ? 'common.close' : 'consoleDevelopers.secretStored')}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
