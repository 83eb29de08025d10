import { useCallback } from 'react'
import { useLocation, useSearch } from 'wouter'

/** Returns the page to which a sign-in leads. Only paths of the service count, so that no link leads elsewhere. */
export function useNextPage(): string {
  const next = new URLSearchParams(useSearch()).get('next') ?? ''
  return /^\/(?![/\\])/.test(next) ? next : '/designs'
}

/** Returns the function that opens the page after a sign-in. The console is another program. */
export function useOpenNext(): (next: string) => void {
  const [, navigate] = useLocation()
  return useCallback(
    (next) => {
      if (/^\/console(\/|$)/.test(next)) location.replace(next)
      else navigate(next, { replace: true })
    },
    [navigate],
  )
}
