import { notices } from '@platen/app/frame'
import { Button, Icon, useTexts } from '@platen/ui'

/** Copies a text to the clipboard. */
export function CopyButton({ copied, label }: { copied: string; label: string }) {
  const { text } = useTexts()
  const copy = (): void => {
    navigator.clipboard.writeText(copied).then(
      () => notices.add({ text: text('account.copied'), tone: 'good' }),
      () => notices.add({ text: text('account.copyFailed'), tone: 'danger' }),
    )
  }
  return (
    <Button onPress={copy}>
      <Icon name="copy" size={18} />
      {label}
    </Button>
  )
}
