/**
 * Reads the value of a cookie from a `Cookie` header (RFC 6265, section 5.4). If several cookies have the name, returns
 * the first.
 */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const pair of (header ?? '').split(';')) {
    const [key, value] = pair.trim().split('=', 2)
    if (key === name) return value
  }
  return undefined
}
