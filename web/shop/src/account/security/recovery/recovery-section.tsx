import { platen } from '@platen/app/session'
import { Button, useTexts } from '@platen/ui'
import { useState } from 'react'
import { RemoveDialog } from '../../frame/remove-dialog.tsx'
import { Section } from '../../frame/section.tsx'
import { useAction } from '../../frame/use-action.ts'
import type { FactorSectionProps } from '../app/app-section.tsx'

/** The codes for a customer who has lost the second factor. */
export function RecoverySection({ mfa, onCodes }: FactorSectionProps) {
  const { text } = useTexts()
  const [isAsking, setAsking] = useState(false)
  const renew = useAction(
    () => platen.auth.renewRecoveryCodes(),
    ({ recoveryCodes }) => onCodes(recoveryCodes),
  )
  return (
    <Section
      title={text('account.recoveryCodes')}
      help={text('account.codesLeft', { count: mfa.recoveryCodesLeft })}
      action={<Button onPress={() => setAsking(true)}>{text('account.newCodes')}</Button>}
    >
      {isAsking ? (
        <RemoveDialog
          title={text('account.newCodes')}
          action={renew}
          onClose={() => setAsking(false)}
          confirmLabel={text('account.replaceCodes')}
        >
          {text('account.newCodesHelp')}
        </RemoveDialog>
      ) : null}
    </Section>
  )
}
