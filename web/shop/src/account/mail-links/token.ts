import { useEffect, useState } from 'react'

/** The tokens of the visit by path. They leave the URL, and the page may be rendered several times. */
const tokens = new Map<string, string>()

/**
 * Returns the token of the link in a mail. It leaves the URL, so that it stays neither in the history nor on
 * screenshots. Opening the page does not use it, because programs that check mails open links, too.
 */
export function useMailedToken(): string | undefined {
  const [token] = useState(() => {
    const { pathname, search } = location
    const inUrl = new URLSearchParams(search).get('token')
    if (inUrl !== null) tokens.set(pathname, inUrl)
    return tokens.get(pathname)
  })
  useEffect(() => {
    history.replaceState(history.state, '', location.pathname)
  }, [])
  return token
}
