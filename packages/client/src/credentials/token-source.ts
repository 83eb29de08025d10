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

  const issue = async (triesLeft = 1): Promise<{ token: string; expiresIn?: number | undefined }> => {
    const issued: unknown = await source()
    const { token, expiresIn } = (typeof issued === 'string' ? { token: issued } : (issued ?? {})) as IssuedToken
    if (token === null && triesLeft > 0) return issue(triesLeft - 1)
    if (typeof token !== 'string' || token === '') {
      const got = token === null ? 'null' : 'none, such as in the error response of a backend'
      throw new TypeError(`the function for tokens must return a token, and returned ${got}`)
    }
    return { token, expiresIn }
  }
  const fetchToken = async (): Promise<string> => {
    const { token, expiresIn } = await issue()
    const isLimited = typeof expiresIn === 'number' && !Number.isNaN(expiresIn)
    held = { token, endsAt: isLimited ? usableUntil(expiresIn, MARGIN_SECONDS) : Number.POSITIVE_INFINITY }
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
