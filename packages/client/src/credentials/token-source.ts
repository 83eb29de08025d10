import { share } from '../request/wait.ts'
import { type Credentials, takesNoCredential, usableUntil } from './credentials.ts'

/** A token with its life, such as the response of `customers.createToken`. */
export interface IssuedToken {
  /** Null in the repeated response to a request whose first response was lost. */
  token: string | null
  /** Seconds. If it is missing, the token is used until the service refuses it. */
  expiresIn?: number | undefined
}

/** Fetches a token, for example from the backend of the shop. */
export type TokenSource = () => Promise<IssuedToken | string>

/** Time before the end of a token at which it counts as expired, so that it does not expire on its way. */
const MARGIN_SECONDS = 10

/** Creates credentials that fetch a token when they need one. Requests at the same time share one call of the source. */
export function tokenSource(source: TokenSource): Credentials {
  let held: { token: string; endsAt: number } | undefined
  let pending: Promise<string> | undefined

  const issue = async (triesLeft = 1): Promise<IssuedToken & { token: string }> => {
    const issued = await source()
    if (typeof issued === 'string') return { token: issued }
    if (issued.token !== null) return { ...issued, token: issued.token }
    if (triesLeft === 0) throw new TypeError('the function for tokens returned null')
    return issue(triesLeft - 1)
  }
  const fetchToken = async (): Promise<string> => {
    const { token, expiresIn } = await issue()
    const endsAt = expiresIn === undefined ? Number.POSITIVE_INFINITY : usableUntil(expiresIn, MARGIN_SECONDS)
    held = { token, endsAt }
    return token
  }
  const next = (signal: AbortSignal | undefined): Promise<string> => {
    pending ??= fetchToken().finally(() => {
      pending = undefined
    })
    return share(pending, signal)
  }
  return {
    token: async (request) => {
      if (takesNoCredential(request)) return undefined
      return held !== undefined && held.endsAt > Date.now() ? held.token : next(request.options.signal)
    },
    renew: async (refused, signal) => {
      if (held?.token === refused) held = undefined
      return held !== undefined || (await next(signal)) !== refused
    },
  }
}
