/** Longer texts say no more about the cause. */
const MAX_LENGTH = 300

/** Ids of records, which administrators may read. */
const RECORD_ID = /^[a-z]{3,4}_[0-9a-hjkmnp-tv-z]{26}$/

/**
 * What errors of libraries and of other services repeat, and administrators need not read: data of customers, and the
 * names and secrets of machines.
 */
const REMOVED: readonly (readonly [found: RegExp, shown: string])[] = [
  [/\b[a-z][a-z0-9+.-]{0,30}:\/\/\S+/gi, '[URL]'],
  [/[^\s<>"'(),;:]{1,64}@[^\s<>"'(),;]+/g, '[email address]'],
  [/\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/g, '[IP address]'],
  [/(?<![\w:])(?:[0-9a-f]{0,4}:){2,7}[0-9a-f]{0,4}(?![\w:])/gi, '[IP address]'],
  [/\b(?:[a-z0-9-]{1,63}\.)+[a-z]{2,}(?::\d+)?\b/gi, '[host]'],
  [/\blocalhost(?::\d+)?\b/gi, '[host]'],
  [/(?<=\s(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT)\s)[^\s[]\S*/g, '[host]'],
  [/(?<![\w/])(?:[a-z]:)?[\\/][^\s"',;:)]+/gi, '[path]'],
  [/"[^"]*"|'[^']*'|`[^`]*`|“[^”]*”/g, '[value]'],
  [/=\s*\([^)]*\)/g, '=[value]'],
  [/\b(bearer|basic)\s+\S+/gi, '$1 [removed]'],
  [/\b([\w-]{0,40}(?:password|secret|token|key))\s*[=:]\s*\S+/gi, '$1=[removed]'],
  [/\+?\d[\d ()/-]{5,}\d/g, '[number]'],
]

/** Only so much of an error is read, so that a page of long ones takes no time. A word that is cut is left out. */
const READ_LENGTH = 600

function headOf(line: string): string {
  return line.length <= READ_LENGTH ? line : line.slice(0, line.lastIndexOf(' ', READ_LENGTH) + 1)
}

/** Returns the first line of the error of a job, without what administrators must not learn from it. */
export function safeError(text: string): string {
  const [line = ''] = text.trim().split('\n')
  const masked = REMOVED.reduce((shown, [found, replacement]) => shown.replace(found, replacement), headOf(line))
  // What is left and long is a token or a digest, unless it is the id of a record.
  const short = masked.replace(/[\w+/=-]{24,}/g, (word) => (RECORD_ID.test(word) ? word : '[removed]'))
  return short.length > MAX_LENGTH ? `${short.slice(0, MAX_LENGTH - 1)}…` : short
}
