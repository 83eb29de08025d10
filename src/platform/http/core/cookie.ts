/**
 * Reads the value of a cookie from a `Cookie` header (RFC 6265, section 5.4). If several cookies have the name, returns
 * the first. The header may have thousands of other pairs, so it is not split.
 *
 * @param name a name without characters that have a meaning in regular expressions
 */
export function readCookie(header = '', name: string): string | undefined {
  const [, value] = new RegExp(`(?:^|;)[ \\t]*${name}=([^;=]*)`).exec(header) ?? []
  return value?.trim()
}
