import { useLocation, useRouter, useSearch } from 'wouter'

/** Returns the URL of the present page below the origin. */
export function useOwnUrl(): string {
  const { base } = useRouter()
  const [path] = useLocation()
  const search = useSearch()
  return `${base}${path === '/' ? '' : path}${search === '' ? '' : `?${search}`}`
}
