import { Button, Icon, useTexts } from '@platen/ui'
import { useState } from 'react'

/**
 * Copies a text to the clipboard, and says beside the button whether it did. A notice would be behind a dialog, and stay
 * after the text is gone.
 */
export function CopyButton({ copied, label }: { copied: string; label: string }) {
  const { text } = useTexts()
  const [result, setResult] = useState<'copied' | 'failed'>()
  const copy = async (): Promise<void> => {
    setResult(undefined)
    try {
      // Pages without HTTPS have no clipboard.
      await navigator.clipboard.writeText(copied)
      setResult('copied')
    } catch {
      setResult('failed')
    }
  }
  return (
    <>
      <span role="status" className={`copy-result ${result === 'failed' ? 'pl-field-error' : ''}`}>
        {result === undefined ? '' : text(result === 'copied' ? 'account.copied' : 'account.copyFailed')}
      </span>
      <Button onPress={() => void copy()}>
        <Icon name="copy" size={18} />
        {label}
      </Button>
    </>
  )
}
