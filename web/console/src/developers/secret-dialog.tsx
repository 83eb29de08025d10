import { CopyButton } from '@platen/app/copy-button'
import { Button, Dialog, useTexts } from '@platen/ui'

export interface SecretDialogProps {
  title: string
  /** Null if a lost response was repeated: the service returns a secret once. */
  secret: string | null
  /** What the secret is for. */
  help: string
  /** Shown instead of a lost secret. By default, how to get another secret of a key or endpoint. */
  lost?: string
  /** Text of the button that closes the dialog. */
  done?: string
  /** What happens to the secret that it replaces. */
  note?: string
  onClose(): void
}

/** Shows a secret that cannot be shown again. Only its button closes it, so that no stray key loses the secret. */
export function SecretDialog({ title, secret, help, lost, done, note, onClose }: SecretDialogProps) {
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
        <p>{secret === null ? (lost ?? text('consoleDevelopers.secretLost')) : help}</p>
        {secret === null ? null : <code className="shown-secret">{secret}</code>}
        {note === undefined ? null : <p>{note}</p>}
        <div className="dialog-buttons">
          {secret === null ? null : <CopyButton copied={secret} label={text('account.copy')} />}
          <Button look="primary" onPress={onClose}>
            {secret === null ? text('common.close') : (done ?? text('consoleDevelopers.secretStored'))}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
