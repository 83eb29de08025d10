import { type Logger, pino } from 'pino'
import { traceOfLine } from './span.ts'

export type Log = Logger

/** Names of members that are removed from log lines, at the top level or one or two levels deep. */
const SECRET_KEYS = [
  'authorization',
  'cookie',
  'password',
  'currentPassword',
  'newPassword',
  'token',
  'accessToken',
  'refreshToken',
  'mfaToken',
  'ticket',
  'secret',
  'secretAccessKey',
  'sessionToken',
  'codeVerifier',
]

/** Members in which PostgreSQL states values of a rejected row, such as password hashes and email addresses. */
const ERROR_DETAILS = ['err.detail', 'err.where', 'err.internalQuery']

const REDACTED_PATHS = [...SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), ...ERROR_DETAILS]

/**
 * Creates the structured logger of the process (JSON lines). pino escapes control characters, so that text from a
 * request cannot forge a log line or control a terminal.
 */
export function createLog(options: {
  level: string
  destination?: NodeJS.WritableStream
  /** Names the process in each line, if the node has several. */
  process?: string | undefined
}): Log {
  const settings = {
    level: options.level,
    base: options.process === undefined ? null : { process: options.process },
    redact: { paths: REDACTED_PATHS, censor: '[redacted]' },
    mixin: traceOfLine,
  }
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination)
}
