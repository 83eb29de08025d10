import { setTimeout as pause } from 'node:timers/promises'
import type { S3Client, S3ClientConfig } from '@aws-sdk/client-s3'
import { mayPass, S3Error, toS3Error } from './s3-errors.ts'

export interface S3Settings {
  bucket: string
  /** The prefix of every key: empty, or ending with a slash. */
  prefix: string
  region: string
  /** The URL of the service. Undefined for the Amazon endpoint of the region. */
  endpoint: string | undefined
  /** Whether the name of the bucket is the first part of the path instead of a part of the host name. */
  pathStyle: boolean
  /** Whether clients are redirected to the service to download files. False if clients cannot reach the service. */
  redirect: boolean
  /** Undefined: the Amazon libraries search for roles and files with credentials. */
  credentials: { accessKeyId: string; secretAccessKey: string; sessionToken?: string } | undefined
  /** Maximum size in bytes of the cache on this computer, which drawing uses. 0: stored files are not kept in it. */
  cacheBytes: number
}

export interface S3Patience {
  connectMs: number
  /** Limit of the time in which no byte is transferred. */
  idleMs: number
  /** Limit of the time from the end of a request without a body to the headers of its response. */
  responseMs: number
}

export const PATIENCE: S3Patience = { connectMs: 3_000, idleMs: 10_000, responseMs: 10_000 }

const ATTEMPTS = 3
const FIRST_PAUSE_MS = 150

export interface BucketAccess {
  s3: typeof import('@aws-sdk/client-s3')
  client: S3Client
  settings: S3Settings
  responseMs: number
}

/**
 * Returns the settings of a client.
 *
 * @param connections maximum number of concurrent connections. Default: that of the library, which is 50
 */
export function clientConfig(
  settings: S3Settings,
  { connectMs, idleMs }: S3Patience,
  connections?: number,
): S3ClientConfig {
  const agent = connections === undefined ? {} : { keepAlive: true, maxSockets: connections }
  const agents = connections === undefined ? {} : { httpAgent: agent, httpsAgent: agent }
  return {
    region: settings.region,
    forcePathStyle: settings.pathStyle,
    ...(settings.endpoint === undefined ? {} : { endpoint: settings.endpoint }),
    // Copies the credentials, because the library changes the object.
    ...(settings.credentials === undefined ? {} : { credentials: { ...settings.credentials } }),
    // `sendWithRetries` retries requests, because the library cannot send a stream twice.
    maxAttempts: 1,
    // This store sends the SHA-256 itself, and compares downloaded bytes with their hash.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    // By default, the library would write warnings to the terminal.
    logger: QUIET,
    requestHandler: { connectionTimeout: connectMs, socketTimeout: idleMs, ...agents },
  }
}

const QUIET = { trace() {}, debug() {}, info() {}, warn() {}, error() {} }

/** Runs one request with a timeout, which ends when the headers of its response arrive. */
export async function withTimeout<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  // Not `AbortSignal.timeout`: that signal would also end the body of a response, which may take longer.
  const timeout = new AbortController()
  const timer = setTimeout(() => timeout.abort(), Math.ceil(timeoutMs))
  try {
    return await work(timeout.signal)
  } catch (error) {
    if (!timeout.signal.aborted) throw toS3Error(error) ?? error
    throw new S3Error('TimeoutError', undefined, `no response within ${Math.round(timeoutMs)} ms`, undefined)
  } finally {
    clearTimeout(timer)
  }
}

/** Sends a request that may be repeated, up to three times. The pauses increase and have a random part. */
export async function sendWithRetries<T>(timeoutMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await withTimeout(timeoutMs, work)
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof S3Error && mayPass(error))) throw error
      await pause(FIRST_PAUSE_MS * 2 ** attempt * (0.5 + Math.random() / 2))
    }
  }
}
