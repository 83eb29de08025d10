import { type Logger, pino } from 'pino'

export type Log = Logger

/** What must never reach a log line, wherever in the logged object it stands one or two levels deep. */
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
  'secret',
  'secretAccessKey',
  'sessionToken',
  'codeVerifier',
]

/** PostgreSQL names the values of a refused row in these: password hashes and addresses among them. */
const ERROR_DETAILS = ['err.detail', 'err.where', 'err.internalQuery']

const REDACTED_PATHS = [...SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.*.${key}`]), ...ERROR_DETAILS]

/**
 * Creates the process's structured logger (JSON lines).
 * pino escapes control characters, so that text from a request cannot forge a line or drive a terminal.
 */
export function createLog(options: { level: string; destination?: NodeJS.WritableStream }): Log {
  const settings = { level: options.level, base: null, redact: { paths: REDACTED_PATHS, censor: '[redacted]' } }
  return options.destination === undefined ? pino(settings) : pino(settings, options.destination)
}
