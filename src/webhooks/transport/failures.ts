import { TooManyHandshakes } from './handshake-gate.ts'
import { TooManyParts } from './response-body.ts'
import { RefusedTarget } from './target.ts'

/** Why there is no response. `closed` means that the service is stopping, so it shows nothing about the receiver. */
export type SendError = 'timeout' | 'refused_target' | 'dns' | 'connection' | 'tls' | 'bad_answer' | 'closed'

export interface Failure {
  kind: 'failed'
  error: SendError
  /** One sentence for the owner of the endpoint. */
  detail: string
}

/** What a request is doing or waiting for. */
export type Phase = 'connecting' | 'securing' | 'waiting' | 'reading'

/** Thrown if a host name has no IP addresses. `reason` is an error code of `node:dns`. */
export class NameNotResolved extends Error {
  override name = 'NameNotResolved'
  readonly reason: string

  constructor(reason = 'EUNKNOWN') {
    super(reason)
    this.reason = reason
  }
}

const CONNECTION: Record<string, string> = {
  ECONNREFUSED: 'The connection was refused.',
  EHOSTUNREACH: 'The host cannot be reached.',
  ENETUNREACH: 'The network of the host cannot be reached.',
  ETIMEDOUT: 'The connection was not established in time.',
}

const UNFINISHED: Record<Phase, string> = {
  connecting: 'The connection was closed before it was established.',
  securing: 'The connection was closed during the TLS handshake.',
  waiting: 'The connection was closed before the response began.',
  reading: 'The connection was closed before the end of the response.',
}

const CERTIFICATES: Record<string, string> = {
  CERT_HAS_EXPIRED: 'has expired',
  CERT_NOT_YET_VALID: 'is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'comes from an authority that is not trusted',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: 'comes from an authority that is not trusted',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: 'comes without the certificate of its issuer',
  ERR_TLS_CERT_ALTNAME_INVALID: 'is for another host',
}

const NO_NAME: Record<string, string> = {
  ENOTFOUND: 'The host name does not exist.',
  ENODATA: 'The host name has no IP address.',
  ETIMEOUT: 'The name server of the host did not respond.',
  ESERVFAIL: 'The name server of the host failed.',
}

export function timeoutFailure(phase: Phase, timeoutMs: number): Failure {
  const missing: Record<Phase, string> = {
    connecting: 'The connection was not established',
    securing: 'The TLS handshake did not end',
    waiting: 'No response began',
    reading: 'The response did not end',
  }
  return { kind: 'failed', error: 'timeout', detail: `${missing[phase]} within ${timeoutMs / 1000} s.` }
}

/**
 * Maps an error of `node:http` to a failure. The message of the error is not passed on, because it can contain internal
 * IP addresses and data of the receiver.
 */
export function failureOf(error: NodeJS.ErrnoException, phase: Phase): Failure {
  if (error instanceof RefusedTarget) return { kind: 'failed', error: 'refused_target', detail: error.message }
  if (error instanceof NameNotResolved) {
    const detail = NO_NAME[error.reason] ?? `The host name was not found (${error.reason}).`
    return { kind: 'failed', error: 'dns', detail }
  }
  if (error instanceof TooManyHandshakes) return { kind: 'failed', error: 'tls', detail: error.message }
  if (error instanceof TooManyParts) {
    return { kind: 'failed', error: 'bad_answer', detail: 'The response consists of too many short chunks.' }
  }
  const code = codeOf(error)
  if (code.startsWith('HPE_')) return { kind: 'failed', error: 'bad_answer', detail: badAnswerOf(code) }
  const certificate = CERTIFICATES[code]
  if (certificate !== undefined) {
    return { kind: 'failed', error: 'tls', detail: `The certificate of the host ${certificate} (${code}).` }
  }
  const isHangUp = ['ECONNRESET', 'EPIPE', 'ERR_STREAM_PREMATURE_CLOSE'].includes(code)
  if (phase === 'securing' && !isHangUp) {
    return { kind: 'failed', error: 'tls', detail: `TLS negotiation failed (${code}).` }
  }
  const detail = isHangUp ? UNFINISHED[phase] : (CONNECTION[code] ?? `The connection failed (${code}).`)
  return { kind: 'failed', error: 'connection', detail }
}

/** Returns the code of an error. If several IP addresses were tried, returns the code of the first error. */
function codeOf(error: NodeJS.ErrnoException): string {
  const first = error instanceof AggregateError ? (error.errors[0] as NodeJS.ErrnoException) : error
  return first.code ?? error.code ?? 'unknown'
}

function badAnswerOf(code: string): string {
  return code === 'HPE_HEADER_OVERFLOW'
    ? 'The headers of the response are too long.'
    : `The response is not valid HTTP (${code}).`
}
