import { CopyButton } from '@platen/app/copy-button'
import { Button, Dialog, useTexts } from '@platen/ui'

/** Shows a new key, which cannot be shown again. Only its button closes it, so that no stray key loses it. */
export function ShownKeyDialog({ apiKey, onClose }: { apiKey: string; onClose(): void }) {
  const { text } = useTexts()
  return (
    <Dialog
      title={text('account.yourKey')}
      isOpen
      staysOpen
      closeLabel={text('common.close')}
      footer={
        <Button look="primary" onPress={onClose}>
          {text('account.keyStored')}
        </Button>
      }
    >
      <p>{text('account.keyShown')}</p>
      <div className="secret">
        <code className="secret-text">{apiKey}</code>
        <div className="row">
          <CopyButton copied={apiKey} label={text('account.copy')} />
        </div>
      </div>
    </Dialog>
  )
}
