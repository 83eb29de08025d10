/** The configured bucket cannot be used. The message is for the operator. */
export class S3SetupError extends Error {
  override readonly name = 'S3SetupError'
}

/**
 * An unsuccessful response of the service, or no response. Contains what an operator needs, but no headers of the
 * request, which contain a signature.
 */
export class S3Error extends Error {
  override readonly name = 'S3Error'
  /** The name of the error in the service or the system: `NoSuchBucket`, `SlowDown`, `ECONNREFUSED`, `TimeoutError`. */
  readonly code: string
  /** The HTTP status; undefined if there was no response. */
  readonly status: number | undefined

  constructor(code: string, status: number | undefined, message: string, requestId: string | undefined) {
    super(`${code}: ${message}${requestId === undefined ? '' : ` (request ${requestId})`}`)
    this.code = code
    this.status = status
  }
}

/** Errors of the client library that are neither responses nor system errors. */
const LIBRARY_ERRORS = ['TimeoutError', 'CredentialsProviderError']

/**
 * Converts an error of the client library without its additional members, which include the signed request. Returns
 * undefined if neither the service nor the network is the cause.
 */
export function toS3Error(error: unknown): S3Error | undefined {
  if (error instanceof S3Error) return error
  // These are program errors, although Node.js gives some of them codes.
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

/** Names of errors with a status below 500 after which a retry can succeed. */
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

/** Tells whether the same request may succeed soon. */
export function mayPass({ status, code }: S3Error): boolean {
  return status === undefined || status >= 500 || status === 429 || PASSING.has(code)
}

/** Describes for the operator why the service does not work at the start, and what to do. */
export function explainSetup({ status, code, message }: S3Error, bucket: string): string {
  const advice = ADVICE[code] ?? (status === undefined ? 'The service cannot be reached. Check endpoint=.' : undefined)
  const moved = status === 301 || status === 307 ? 'The bucket is in another region. Check region=.' : undefined
  return `names the bucket "${bucket}", which cannot be used: ${message}. ${moved ?? advice ?? ''}`.trim()
}

const ADVICE: Readonly<Record<string, string>> = {
  AccessDenied: 'The access key needs s3:PutObject, s3:GetObject, s3:DeleteObject and s3:ListBucket for the bucket.',
  AuthorizationHeaderMalformed: 'Check region=.',
  CredentialsProviderError: 'Set PLATEN_S3_ACCESS_KEY_ID and PLATEN_S3_SECRET_ACCESS_KEY.',
  ExpiredToken: 'Check PLATEN_S3_SESSION_TOKEN.',
  InvalidAccessKeyId: 'Check PLATEN_S3_ACCESS_KEY_ID.',
  InvalidBucketName: 'Check the name of the bucket.',
  NoSuchBucket: 'Create the bucket first.',
  RequestTimeTooSkewed: 'Set the clock of this computer.',
  SignatureDoesNotMatch: 'Check PLATEN_S3_SECRET_ACCESS_KEY.',
}
