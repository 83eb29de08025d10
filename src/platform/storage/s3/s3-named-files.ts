import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type BucketAccess, clientConfig, PATIENCE, type S3Settings, sendWithRetries } from './s3-client.ts'

/** Small files with names in a bucket, beside the stored objects. A file is there completely, or not at all. */
export interface NamedFiles {
  write(name: string, bytes: Buffer): Promise<void>
  open(name: string): Promise<Readable>
  /** Returns undefined if the file does not exist. */
  read(name: string): Promise<Buffer | undefined>
  /** A missing file is not an error. */
  remove(name: string): Promise<void>
  /** Lists the names that begin with a prefix. */
  list(prefix: string): Promise<string[]>
  close(): void
}

/** Opens a bucket without writing to it, so that credentials for reading suffice until `write` is called. */
export async function openS3NamedFiles(settings: S3Settings): Promise<NamedFiles> {
  const s3 = await import('@aws-sdk/client-s3')
  const client = new s3.S3Client(clientConfig(settings, PATIENCE))
  const { responseMs } = PATIENCE
  const { bucket: Bucket, prefix } = settings
  const open = async (name: string): Promise<Readable> => {
    const get = new s3.GetObjectCommand({ Bucket, Key: `${prefix}${name}` })
    const { Body } = await sendWithRetries(responseMs, (abortSignal) => client.send(get, { abortSignal }))
    return Body as Readable
  }
  return {
    open,
    write: async (name, bytes) => {
      const put = new s3.PutObjectCommand({ Bucket, Key: `${prefix}${name}`, Body: bytes })
      await sendWithRetries(responseMs, (abortSignal) => client.send(put, { abortSignal }))
    },
    read: async (name) => {
      const stream = await open(name).catch((error: { code?: unknown }) => {
        if (error.code === 'NoSuchKey' || error.code === 'NotFound') return undefined
        throw error
      })
      return stream === undefined ? undefined : buffer(stream)
    },
    remove: async (name) => {
      const remove = new s3.DeleteObjectCommand({ Bucket, Key: `${prefix}${name}` })
      await sendWithRetries(responseMs, (abortSignal) => client.send(remove, { abortSignal }))
    },
    list: (names) => listNames({ s3, client, settings, responseMs }, names),
    close: () => client.destroy(),
  }
}

async function listNames({ s3, client, settings, responseMs }: BucketAccess, names: string): Promise<string[]> {
  const { bucket: Bucket, prefix } = settings
  const found: string[] = []
  let ContinuationToken: string | undefined
  do {
    const next = new s3.ListObjectsV2Command({ Bucket, Prefix: `${prefix}${names}`, ContinuationToken })
    const page = await sendWithRetries(responseMs, (abortSignal) => client.send(next, { abortSignal }))
    found.push(...(page.Contents ?? []).map(({ Key = '' }) => Key.slice(prefix.length)))
    ContinuationToken = page.NextContinuationToken
  } while (ContinuationToken !== undefined)
  return found
}
