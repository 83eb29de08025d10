import { saveFile } from '@platen/app/files'
import { shopName } from '@platen/app/frame'
import { Button, Dialog, Icon, useTexts } from '@platen/ui'
import { CopyButton } from '../../frame/copy-button.tsx'

/** Shows new recovery codes, which cannot be shown again. */
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
      onClose={onClose}
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
        <CopyButton text={list} label={text('account.copy')} />
        <Button onPress={download}>
          <Icon name="download" size={18} />
          {text('account.download')}
        </Button>
        <Button onPress={() => print()}>{text('account.print')}</Button>
      </div>
    </Dialog>
  )
}
