import { Button, Dialog, useTexts } from '@platen/ui'
import { CopyButton } from '../frame/copy-button.tsx'

/** Shows a new key, which cannot be shown again. */
export function ShownKeyDialog({ apiKey, onClose }: { apiKey: string; onClose(): void }) {
  const { text } = useTexts()
  return (
    <Dialog
      title={text('account.yourKey')}
      isOpen
      staysOpen
      onClose={onClose}
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
          <CopyButton text={apiKey} label={text('account.copy')} />
        </div>
      </div>
    </Dialog>
  )
}
