import { CopyButton } from '@platen/app/copy-button'
import { saveFile } from '@platen/app/files'
import { shopName } from '@platen/app/frame'
import { Button, Dialog, Icon, useTexts } from '@platen/ui'

/** Shows new recovery codes, which cannot be shown again. Only its button closes it, so that no stray key loses them. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: readonly string[]; onClose(): void }) {
  const { text } = useTexts()
  const title = text('account.recoveryCodes')
  const list = codes.join('\n')
  const download = (): void => {
    saveFile('recovery-codes.txt', 'text/plain', `${shopName}: ${title}\n\n${list}\n`)
  }
  return (
    <Dialog
      title={title}
      isOpen
      staysOpen
      closeLabel={text('common.close')}
      footer={
        <Button look="primary" onPress={onClose}>
          {text('account.codesStored')}
        </Button>
      }
    >
      <p>{text('account.recoveryCodesShown')}</p>
      <ul className="codes">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <div className="row">
        <CopyButton copied={list} label={text('account.copy')} />
        <Button onPress={download}>
          <Icon name="download" size={18} />
          {text('account.download')}
        </Button>
        <Button onPress={() => print()}>{text('account.print')}</Button>
      </div>
    </Dialog>
  )
}
