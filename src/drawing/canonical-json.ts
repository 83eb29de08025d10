/**
 * Serializes a value as JSON with sorted keys and without white space, so that equal values give equal bytes. The
 * format is RFC 8785 (JSON Canonicalization Scheme), whose numbers and strings have the form that `JSON.stringify`
 * writes. Members with the value undefined are left out.
 * @throws TypeError for numbers that JSON cannot hold.
 */
export function canonicalJson(value: unknown): string {
  if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError('JSON cannot hold this number')
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    // RFC 8785 sorts by UTF-16 code units, as `<` does.
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, member]) => `${JSON.stringify(key)}:${canonicalJson(member)}`)
  return `{${members.join(',')}}`
}
