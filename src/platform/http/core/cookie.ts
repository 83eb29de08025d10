/** The value of a cookie in a `Cookie` header (RFC 6265, 5.4); of several with one name, the first. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2)
    if (key === name) return value
  }
  return undefined
}
