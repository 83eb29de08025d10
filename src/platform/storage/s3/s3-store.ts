import type { ReadStream } from 'node:fs'
import { open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import type { PutObjectCommand } from '@aws-sdk/client-s3'
import { currentRequest } from '../../concurrency/request-context.ts'
import { makeDirDurably } from '../../file-system/durable-files.ts'
import { Problem } from '../../problem.ts'
import type { FreeDisk } from '../objects/free-disk.ts'
import {
  type NewObject,
  type ObjectStore,
  RemovalUncertain,
  requireSha256,
  type StoredObject,
} from '../objects/object-store.ts'
import { clearWorkDirs, createWorkDir, removeAbandoned } from '../objects/work-dirs.ts'
import { createDownloadLimits, DOWNLOADS } from './download-limits.ts'
import { openLocalCache, WrongBytes } from './local-cache.ts'
import {
  type BucketAccess,
  clientConfig,
  PATIENCE,
  type S3Patience,
  type S3Settings,
  sendWithRetries,
  withTimeout,
} from './s3-client.ts'
import { explainSetup, S3Error, S3SetupError, toS3Error } from './s3-errors.ts'

/**
 * How long a signed URL is valid. This is long enough for a slow client to start the download, which may take longer.
 */
const SIGNED_SECONDS = 300

/** Minimum speed of an upload. A slower upload is aborted. */
const MIN_BYTES_PER_MS = 100
/** The limit for a readiness check. */
const CHECK_MS = 3_000

const PROBE = 'platen-probe'

/**
 * Opens a store in a bucket of S3 or of a compatible service: `{prefix}blobs/ab/abcdef...`, with the same names as in a
 * folder. Files for programs that need a path are copied to `cacheRoot` first.
 *
 * A PUT states the hash of the bytes and succeeds only if the key does not exist (`If-None-Match: *`). If two nodes
 * store the same bytes, the second request changes nothing.
 *
 * @throws {S3SetupError} if the bucket cannot be written and read
 */
export async function openS3Store(
  settings: S3Settings,
  cacheRoot: string,
  patience: S3Patience = PATIENCE,
  freeDisk?: FreeDisk,
): Promise<ObjectStore> {
  const { responseMs } = patience
  // Loaded dynamically, because most installations store files in a folder and do not need this library.
  const [s3, { getSignedUrl }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/s3-request-presigner'),
  ])
  const client = new s3.S3Client(clientConfig(settings, patience))
  // Uses a separate client for downloads, because a client that reads slowly occupies its connection for long.
  const downloads = new s3.S3Client(clientConfig(settings, { ...patience, idleMs: DOWNLOAD_IDLE_MS }, DOWNLOADS))
  const { bucket: Bucket, prefix } = settings
  const bucketAccess: BucketAccess = { s3, client, settings, responseMs }
  const keyOf = (sha256: string): string => `${prefix}blobs/${requireSha256(sha256).slice(0, 2)}/${sha256}`
  const workRoot = join(cacheRoot, 'tmp')
  await makeDirDurably(workRoot)
  const cache = await openLocalCache(cacheRoot, settings.cacheBytes, freeDisk)

  const fetchBytes = async (sha256: string, by = client): Promise<{ stream: Readable; bytes: number }> => {
    const get = new s3.GetObjectCommand({ Bucket, Key: keyOf(sha256) })
    const { Body, ContentLength } = await sendWithRetries(responseMs, (abortSignal) => by.send(get, { abortSignal }))
    return { stream: Body as Readable, bytes: ContentLength ?? 0 }
  }
  const takeDownload = createDownloadLimits()

  const check = async (): Promise<void> => {
    const head = new s3.HeadObjectCommand({ Bucket, Key: `${prefix}${PROBE}` })
    await withTimeout(CHECK_MS, (abortSignal) => client.send(head, { abortSignal }))
  }

  const store: ObjectStore = {
    put: async (object) => {
      await putObject({ ...bucketAccess, key: keyOf(object.sha256) }, object)
      if (settings.cacheBytes === 0) await rm(object.path)
      else await cache.add(object.path, object.sha256)
    },
    localPath: (sha256) =>
      retryOnceIfDamaged(() => cache.path(sha256, async () => (await fetchBytes(sha256)).stream)).catch(
        (error: unknown) => {
          throw isOfThisMachine(error) ? error : (toS3Error(error) ?? error)
        },
      ),
    open: async (sha256) => {
      const end = takeDownload(currentRequest())
      try {
        const opened = await fetchBytes(sha256, downloads)
        opened.stream.once('close', end)
        return opened
      } catch (error) {
        end()
        throw error
      }
    },
    signedUrl: async (sha256, { method, mediaType, disposition, lifeSeconds = SIGNED_SECONDS }) => {
      if (!settings.redirect) return undefined
      const target = { Bucket, Key: keyOf(sha256) }
      const shown = { ...target, ResponseContentType: mediaType, ResponseContentDisposition: disposition }
      const command = method === 'HEAD' ? new s3.HeadObjectCommand(shown) : new s3.GetObjectCommand(shown)
      const expiresIn = Math.max(1, Math.min(lifeSeconds, SIGNED_SECONDS))
      return getSignedUrl(client, command, { expiresIn }).catch((error: unknown) => {
        throw toS3Error(error) ?? error
      })
    },
    list: () => listObjects(bucketAccess),
    remove: async (sha256, { untilMs }) => removeObject({ ...bucketAccess, key: keyOf(sha256) }, sha256, untilMs),
    removeLeftovers: () => removeAbandoned(workRoot),
    check,
    clearWorkDirs: () => clearWorkDirs(workRoot),
    createWorkDir: () => createWorkDir(workRoot),
    close: async () => {
      await cache.close()
      client.destroy()
      downloads.destroy()
    },
  }
  await verifyAccess(bucketAccess)
  return store
}

/**
 * Idle limit of a download. While a slow client reads the bytes that the operating system has buffered, no bytes are
 * transferred from S3.
 */
const DOWNLOAD_IDLE_MS = 10 * 60_000

/** Rejects if a file cannot be read to its end. The library would wait for the remaining bytes and report no error. */
function failureOf(body: ReadStream): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>()
  body.once('error', reject)
  promise.catch(() => undefined)
  return promise
}

/** Includes the hash of the bytes in the signature. The library would not sign the bytes of a stream. */
function signPayload(command: PutObjectCommand, sha256: string): void {
  command.middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> }
      headers['x-amz-content-sha256'] = sha256
      return next(args)
    },
    { step: 'build', name: 'signPayload' },
  )
}

/** Uploads a file, unless its key already exists. */
async function putObject(
  { s3, client, settings, responseMs, key }: BucketAccess & { key: string },
  { path, sha256, bytes }: NewObject,
): Promise<void> {
  await sendWithRetries(responseMs + bytes / MIN_BYTES_PER_MS, async (abortSignal) => {
    const body = (await open(path)).createReadStream()
    const command = new s3.PutObjectCommand({
      Bucket: settings.bucket,
      Key: key,
      Body: body,
      ContentLength: bytes,
      ChecksumSHA256: Buffer.from(sha256, 'hex').toString('base64'),
      IfNoneMatch: '*',
    })
    signPayload(command, sha256)
    try {
      await Promise.race([client.send(command, { abortSignal }), failureOf(body)])
    } catch (error) {
      // Status 412 means that the key already exists, so it has the same bytes.
      if (toS3Error(error)?.status !== 412) throw error
    } finally {
      body.destroy()
    }
  })
}

async function* listObjects({ s3, client, settings, responseMs }: BucketAccess): AsyncGenerator<StoredObject[]> {
  const { bucket: Bucket, prefix } = settings
  let ContinuationToken: string | undefined
  do {
    const next = new s3.ListObjectsV2Command({ Bucket, Prefix: `${prefix}blobs/`, ContinuationToken })
    const page = await sendWithRetries(responseMs, (abortSignal) => client.send(next, { abortSignal }))
    yield (page.Contents ?? []).flatMap(({ Key = '', Size = 0 }) => toStored(Key.slice(prefix.length), Size))
    ContinuationToken = page.NextContinuationToken
  } while (ContinuationToken !== undefined)
}

/**
 * Sends exactly one request, because a request without a response may still be in transit. The request is signed before
 * `untilMs`, and the service rejects it a quarter of an hour later. It therefore cannot arrive after another process
 * has stored the bytes again.
 */
async function removeObject(
  { s3, client, settings, responseMs, key }: BucketAccess & { key: string },
  sha256: string,
  untilMs: number,
): Promise<void> {
  const command = new s3.DeleteObjectCommand({ Bucket: settings.bucket, Key: key })
  let isSent = false
  // Runs as the last step of the middleware, so the request is already signed.
  command.middlewareStack.add(
    (next) => (args) => {
      if (Date.now() > untilMs) throw new Error(`${sha256} was not removed in time`)
      isSent = true
      return next(args)
    },
    { step: 'deserialize', priority: 'low', name: 'sendInTime' },
  )
  try {
    await withTimeout(responseMs, (abortSignal) => client.send(command, { abortSignal }))
  } catch (error) {
    const isRefused = error instanceof S3Error && error.status !== undefined && error.status < 500
    if (isRefused || !isSent) throw error
    throw new RemovalUncertain(`${sha256} may or may not be deleted`, { cause: error })
  }
}

/**
 * Writes a small object, reads it and lists objects. Missing permissions are then reported at the start and not later.
 */
async function verifyAccess({ s3, client, settings, responseMs }: BucketAccess): Promise<void> {
  const { bucket: Bucket, prefix } = settings
  const Key = `${prefix}${PROBE}`
  try {
    const put = new s3.PutObjectCommand({ Bucket, Key, Body: 'Platen writes this at each start.\n' })
    await sendWithRetries(responseMs, (abortSignal) => client.send(put, { abortSignal }))
    const got = await sendWithRetries(responseMs, (abortSignal) =>
      client.send(new s3.GetObjectCommand({ Bucket, Key }), { abortSignal }),
    )
    await got.Body?.transformToByteArray()
    const list = new s3.ListObjectsV2Command({ Bucket, Prefix: prefix, MaxKeys: 1 })
    await sendWithRetries(responseMs, (abortSignal) => client.send(list, { abortSignal }))
  } catch (error) {
    client.destroy()
    throw error instanceof S3Error ? new S3SetupError(explainSetup(error, Bucket)) : error
  }
}

function toStored(name: string, bytes: number): StoredObject[] {
  const sha256 = /^blobs\/[0-9a-f]{2}\/([0-9a-f]{64})$/.exec(name)?.[1]
  return sha256 === undefined ? [] : [{ sha256, bytes }]
}

/**
 * Fetches bytes once more if they were damaged or interrupted in transit. If the stored bytes are wrong, the second
 * attempt fails as well.
 */
async function retryOnceIfDamaged<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // Does not retry if the service has rejected the request, or if all retries of a request failed.
    if (error instanceof S3Error || !(error instanceof Error && 'code' in error)) throw error
    return work()
  }
}

/**
 * Tells whether an error comes from this computer and not from the service: a disk fault, a full disk, or a copy with
 * wrong bytes.
 */
function isOfThisMachine(error: unknown): boolean {
  if (error instanceof Problem) return true
  return error instanceof WrongBytes || (error instanceof Error && 'syscall' in error && 'path' in error)
}
