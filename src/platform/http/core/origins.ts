/** Origins whose web pages may call the API. */
export interface Origins {
  has(origin: string): boolean
}

/**
 * @param entries origins, compared exactly, and patterns such as `https://*.example.com`. `*` stands for one or more
 *   labels of a host name, so the pattern does not admit `https://example.com`.
 */
export function createOrigins(entries: readonly string[]): Origins {
  const exact = new Set(entries.filter((entry) => !entry.includes('*')))
  const patterns = entries.filter((entry) => entry.includes('*')).map(toPattern)
  return { has: (origin) => exact.has(origin) || patterns.some((pattern) => pattern.test(origin)) }
}

function toPattern(entry: string): RegExp {
  const [scheme = '', rest = ''] = entry.split('*.', 2)
  return new RegExp(`^${RegExp.escape(scheme)}(?:[a-z0-9-]+\\.)+${RegExp.escape(rest)}$`)
}
