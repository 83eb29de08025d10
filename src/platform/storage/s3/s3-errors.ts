/** An answer of the service that is no success, or none at all. Says what an operator needs, and no header of the request. */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  /** The service's or the system's name for it: `NoSuchBucket`, `SlowDown`, `ECONNREFUSED`, `TimeoutError`. */
  readonly code: string
  /** Undefined: there was no answer. */
  readonly status: number | undefined

  constructor(code: string, status: number | undefined, message: string, requestId: string | undefined) {
    super(`${code}: ${message}${requestId === undefined ? '' : ` (request ${requestId})`}`)
    this.code = code
    this.status = status
  }
}

/** Errors of the client library that are neither answers nor errors of the system. */
const LIBRARY_ERRORS = ['TimeoutError', 'CredentialsProviderError']

/**
 * What went wrong, without what the client library adds to its errors: the signed request is among it.
 * Undefined: neither the service nor the way to it is to blame.
 */
export function toS3Error(error: unknown): S3Error | undefined {
  if (error instanceof S3Error) return error
  // Of the program, although Node.js gives some of them codes.
  if (!(error instanceof Error) || error instanceof TypeError || error instanceof RangeError) return undefined
  const { name, message, code, $metadata } = error as Error & {
    code?: unknown
    $metadata?: { httpStatusCode?: number; requestId?: string }
  }
  const isAnswer = $metadata?.httpStatusCode !== undefined
  if (!isAnswer && typeof code !== 'string' && !LIBRARY_ERRORS.includes(name)) return undefined
  const own = typeof code === 'string' ? code : name
  return new S3Error(own, $metadata?.httpStatusCode, message || 'no message', $metadata?.requestId)
}

/** Names of answers below 500 that are no fault of the request. */
const PASSING = new Set([
  'ConditionalRequestConflict',
  'OperationAborted',
  'RequestTimeout',
  'RequestTimeTooSkewed',
  'SlowDown',
  'Throttling',
  'ThrottlingException',
  'TooManyRequestsException',
])

/** Whether the same request may go well a moment later. */
export function mayPass({ status, code }: S3Error): boolean {
  return status === undefined || status >= 500 || status === 429 || PASSING.has(code)
}

/** What an operator can do about a service that does not work at the start. */
export function explainSetup({ status, code, message }: S3Error, bucket: string): string {
  const advice =
    ADVICE[code] ?? (status === undefined ? 'The service cannot be reached: look at endpoint=.' : undefined)
  const moved = status === 301 || status === 307 ? 'The bucket is in another region: look at region=.' : undefined
  return `names the bucket "${bucket}", which cannot be used: ${message}. ${moved ?? advice ?? ''}`.trim()
}

const ADVICE: Readonly<Record<string, string>> = {
  AccessDenied: 'The key needs s3:PutObject, s3:GetObject, s3:DeleteObject and s3:ListBucket there.',
  AuthorizationHeaderMalformed: 'Look at region=.',
  CredentialsProviderError: 'Set PLATEN_S3_ACCESS_KEY_ID and PLATEN_S3_SECRET_ACCESS_KEY.',
  ExpiredToken: 'Look at PLATEN_S3_SESSION_TOKEN.',
  InvalidAccessKeyId: 'Look at PLATEN_S3_ACCESS_KEY_ID.',
  InvalidBucketName: 'Look at the name.',
  NoSuchBucket: 'Create it first.',
  RequestTimeTooSkewed: "Set this machine's clock.",
  SignatureDoesNotMatch: 'Look at PLATEN_S3_SECRET_ACCESS_KEY.',
}
