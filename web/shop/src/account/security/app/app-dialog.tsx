import { CopyButton } from '@platen/app/copy-button'
import type { PendingFactor } from '@platen/client'
import { Dialog, useTexts } from '@platen/ui'
import { ConfirmFactorForm } from '../confirm-factor-form.tsx'
import { QrCode } from './qr-code.tsx'

export interface AppDialogProps {
  pending: PendingFactor
  onDone(recoveryCodes: readonly string[] | undefined): void
  onClose(): void
}

/** Shows the secret for an authenticator app, and asks for its first code. */
export function AppDialog({ pending, onDone, onClose }: AppDialogProps) {
  const { text } = useTexts()
  const { factorId, secret = '', otpauthUri = '', qrCodeSvg = '' } = pending
  return (
    <Dialog title={text('account.setUpApp')} isOpen staysOpen onClose={onClose} closeLabel={text('common.cancel')}>
      <p>{text('account.scanCode')}</p>
      <QrCode svg={qrCodeSvg} label={text('account.qrCode')} />
      <div className="secret">
        <p>
          {text('account.typeKey')} <code className="secret-text">{inGroups(secret)}</code>
        </p>
        <div className="row">
          <CopyButton copied={secret} label={text('account.copyKey')} />
          <a className="pl-button quiet" href={otpauthUri}>
            {text('account.openApp')}
          </a>
        </div>
      </div>
      <ConfirmFactorForm factorId={factorId} label={text('session.codeOfApp')} onDone={onDone} />
    </Dialog>
  )
}

const inGroups = (secret: string): string => secret.replaceAll(/(.{4})(?=.)/g, '$1 ')
