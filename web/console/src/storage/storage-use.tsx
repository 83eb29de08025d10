import type { StorageAccount } from '@platen/client'
import { ProgressBar, useTexts } from '@platen/ui'
import { quotaText } from './quota-text.ts'

/** What an account uses of its quota. */
export function StorageUse({ account: { used, quota } }: { account: Pick<StorageAccount, 'used' | 'quota'> }) {
  const texts = useTexts()
  const { text, formats } = texts
  const sizes = text('consoleStorage.usedOf', { used: formats.bytes(used), quota: quotaText(texts, quota) })
  if (quota === null) return <p>{sizes}</p>
  // A quota of 0 is used up from the beginning.
  const percent = quota === 0 ? 100 : Math.min(100, (used / quota) * 100)
  return <ProgressBar label={text('consoleStorage.used')} value={percent} valueLabel={sizes} />
}
