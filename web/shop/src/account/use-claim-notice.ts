import { notices } from '@platen/app/frame'
import type { Claim } from '@platen/app/session'
import { useTexts } from '@platen/ui'
import { useLeftOutNotice } from '../cart/use-full-notices.ts'
import { problemText } from '../shell/failures/problem-text.ts'

/** Returns the function that says what has become of the designs of a guest after a sign-in. */
export function useClaimNotice(): (claim: Claim) => void {
  const texts = useTexts()
  const tellOfLeftOut = useLeftOutNotice()
  return (claim) => {
    if (claim.kind === 'moved') {
      notices.add({ text: texts.text('shop.claimed', { count: claim.designs }), tone: 'good' })
      tellOfLeftOut(claim.leftOut)
    }
    if (claim.kind === 'failed') {
      notices.add({ text: texts.text('shop.claimFailed', { reason: problemText(texts, claim.error) }), tone: 'danger' })
    }
  }
}
