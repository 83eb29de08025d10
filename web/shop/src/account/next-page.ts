import { useSearch } from 'wouter'

/** Returns the page to which a sign-in leads. Only paths of the shop count, so that no link leads elsewhere. */
export function useNextPage(): string {
  const next = new URLSearchParams(useSearch()).get('next') ?? ''
  return /^\/(?![/\\])/.test(next) ? next : '/designs'
}
