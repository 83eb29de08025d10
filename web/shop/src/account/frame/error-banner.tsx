import { isCancelled } from '@platen/app/sign-in'
import { Banner, useTexts } from '@platen/ui'
import { accountProblem } from './account-problem.ts'

/** States why an action failed. A customer who has cancelled it knows. */
export function ErrorBanner({ error }: { error: unknown }) {
  const texts = useTexts()
  if (error === null || error === undefined || isCancelled(error)) return null
  return (
    <Banner tone="danger" isLive>
      {accountProblem(texts, error)}
    </Banner>
  )
}
