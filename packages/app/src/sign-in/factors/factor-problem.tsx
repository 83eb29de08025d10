import { Banner, useTexts } from '@platen/ui'
import { factorProblem } from './problem.ts'

/** States why a step of a sign-in or of a confirmation failed. */
export function FactorProblem({ error }: { error: unknown }) {
  const texts = useTexts()
  if (error === null || error === undefined) return null
  return (
    <Banner tone="danger" isLive>
      {factorProblem(texts, error)}
    </Banner>
  )
}
