import { PlatenConnectionError, PlatenError } from '@platen/client'
import type { MessageKey, Texts } from '@platen/ui'

/** Says what failed, and what the user can do. */
export type ProblemText = (texts: Pick<Texts, 'text'>, error: unknown) => string

/** What users read instead of a problem of the service, by its code. */
export type ProblemTexts = Readonly<Record<string, MessageKey>>

const TEXTS: ProblemTexts = {
  rate_limited: 'common.problemRateLimited',
  invalid_refresh_token: 'common.problemSessionEnded',
  authentication_required: 'common.problemSessionEnded',
  invalid_access_token: 'common.problemSessionEnded',
}

/** Returns the function that describes problems in the words of an application. Other problems have a common text. */
export function createProblemText(own: ProblemTexts): ProblemText {
  const all = { ...TEXTS, ...own }
  return ({ text }, error) => {
    if (error instanceof PlatenConnectionError) return text('common.problemConnection')
    if (!(error instanceof PlatenError)) return text('common.problemUnknown')
    const key = Object.hasOwn(all, error.code) ? all[error.code] : undefined
    if (key !== undefined) return text(key, { minutes: minutesToWait(error) })
    if (error.status === 503 || error.status === 502 || error.status === 504) return text('common.problemBusy')
    if (error.status === 429) return text('common.problemRateLimited')
    if (error.requestId === undefined) return text('common.problemUnknown')
    return text('common.problemWithId', { id: error.requestId })
  }
}

export const problemText = createProblemText({})

function minutesToWait({ headers }: PlatenError): number {
  return Math.max(1, Math.ceil(Number(headers.get('retry-after') ?? 60) / 60))
}

/** Tells whether what a page is about does not exist, or not for this user. */
export function isMissing(error: unknown): boolean {
  return error instanceof PlatenError && error.status === 404
}
