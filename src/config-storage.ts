import { isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { ConfigError, isExposed, type reader, readServiceUrl } from './config-values.ts'
import type { S3Settings } from './platform/storage/index.ts'

const VARIABLE = 'PLATEN_STORAGE_URL'
const FORMS = 'file:///path/to/folder, or s3://bucket/prefix?region=eu-central-1'

/** Where bytes are kept. */
export interface StorageSettings {
  /** Folder of the files; with `s3` of what is being written, and of copies that drawing needs. */
  storageDir: string
  /** Undefined: in the folder. */
  s3: S3Settings | undefined
  /** Bytes that one account may store; undefined: any number. */
  storageQuotaBytes: number | undefined
  /** Bytes of disk space to keep free; undefined: as the size of the file system suggests; 0: none. */
  storageFreeBytes: number | undefined
}

const MIB = 1024 * 1024

/**
 * Reads `PLATEN_STORAGE_URL`, which is `file:PATH`, `file:///PATH` or
 * `s3://BUCKET[/PREFIX]?region=&endpoint=&pathStyle=&redirect=`, and what goes with it.
 */
export function readStorage(read: ReturnType<typeof reader>, dataDir: string, production: boolean): StorageSettings {
  return { ...readPlace(read, dataDir, production), ...readLimits(read) }
}

function readLimits(read: ReturnType<typeof reader>): Pick<StorageSettings, 'storageQuotaBytes' | 'storageFreeBytes'> {
  const quotaBytes = read.integer('PLATEN_STORAGE_QUOTA_MIB', 2048, 0, 1_000_000_000) * MIB
  const freeMib = read.integer('PLATEN_STORAGE_FREE_MIB', -1, 0, 1_000_000_000)
  return {
    storageQuotaBytes: quotaBytes === 0 ? undefined : quotaBytes,
    storageFreeBytes: freeMib === -1 ? undefined : freeMib * MIB,
  }
}

function readPlace(
  read: ReturnType<typeof reader>,
  dataDir: string,
  production: boolean,
): Pick<StorageSettings, 'storageDir' | 's3'> {
  const value = read.optional(VARIABLE)
  const credentials = readCredentials(read)
  const cacheBytes = read.integer('PLATEN_STORAGE_CACHE_MIB', 2048, 64, 10_000_000) * MIB
  if (value === undefined) return { storageDir: join(dataDir, 'storage'), s3: undefined }
  if (value.startsWith('file:')) return { storageDir: readFolder(value), s3: undefined }
  if (!value.startsWith('s3:')) throw new ConfigError(VARIABLE, `is "${value}", but must look like ${FORMS}.`)
  const bucket = readBucket(value, production)
  return { storageDir: join(dataDir, 'storage-cache'), s3: { ...bucket, credentials, cacheBytes } }
}

function readFolder(value: string): string {
  if (!value.startsWith('file://')) {
    const path = value.slice('file:'.length)
    return isAbsolute(path) ? path : resolve(path)
  }
  try {
    return fileURLToPath(value)
  } catch (error) {
    throw new ConfigError(
      VARIABLE,
      `is "${value}", which is not a path: ${(error as Error).message}. Use file:///path/to/folder.`,
    )
  }
}

const PARAMETERS = ['region', 'endpoint', 'pathStyle', 'redirect']

function readBucket(value: string, production: boolean): Omit<S3Settings, 'credentials' | 'cacheBytes'> {
  const url = URL.canParse(value) ? new URL(value) : undefined
  // Never repeated in the message: what stands before an @ is a secret, in the wrong place.
  if (url !== undefined && (url.username !== '' || url.password !== '')) {
    throw new ConfigError(VARIABLE, 'holds a key: put it in PLATEN_S3_ACCESS_KEY_ID and PLATEN_S3_SECRET_ACCESS_KEY.')
  }
  if (url === undefined || !/^[a-z0-9][a-z0-9._-]{1,253}$/.test(url.hostname) || url.port !== '' || url.hash !== '') {
    throw new ConfigError(VARIABLE, `is "${value}", but must look like ${FORMS}.`)
  }
  const unknown = [...url.searchParams.keys()].find((name) => !PARAMETERS.includes(name))
  if (unknown !== undefined) {
    throw new ConfigError(VARIABLE, `has "${unknown}=", but takes ${PARAMETERS.map((name) => `${name}=`).join(', ')}.`)
  }
  const endpoint = readEndpoint(url, production)
  const region = url.searchParams.get('region') ?? (endpoint === undefined ? undefined : 'us-east-1')
  if (region === undefined || region === '') {
    throw new ConfigError(VARIABLE, 'names no region: add ?region=eu-central-1, or where the bucket is.')
  }
  return {
    bucket: url.hostname,
    prefix: readPrefix(url),
    region,
    endpoint,
    pathStyle: readSwitch(url, 'pathStyle', endpoint !== undefined),
    redirect: readSwitch(url, 'redirect', true),
  }
}

function readPrefix(url: URL): string {
  let path: string
  try {
    path = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '')
  } catch {
    throw new ConfigError(
      VARIABLE,
      `has the prefix "${url.pathname}", where a % is not followed by the code of a letter.`,
    )
  }
  if (!/^[\w.!()/-]*$/.test(path) || path.split('/').includes('..')) {
    throw new ConfigError(VARIABLE, `has the prefix "${path}", but takes letters, digits and -_.!()/ there.`)
  }
  return path === '' ? '' : `${path}/`
}

function readEndpoint(url: URL, production: boolean): string | undefined {
  const value = url.searchParams.get('endpoint')
  if (value === null) return undefined
  const endpoint = readServiceUrl(VARIABLE, value)
  if (production && isExposed(new URL(endpoint))) {
    throw new ConfigError(
      VARIABLE,
      'has an endpoint that must start with https: when NODE_ENV is production, unless it is on this machine.',
    )
  }
  return endpoint
}

function readSwitch(url: URL, name: string, fallback: boolean): boolean {
  const value = url.searchParams.get(name)
  if (value === null) return fallback
  if (value === 'on' || value === 'true') return true
  if (value === 'off' || value === 'false') return false
  throw new ConfigError(VARIABLE, `has "${name}=${value}", but takes ${name}=on or ${name}=off.`)
}

/** Both parts of a key, or neither. */
function readCredentials(read: ReturnType<typeof reader>): S3Settings['credentials'] {
  const accessKeyId = read.optional('PLATEN_S3_ACCESS_KEY_ID')
  const secretAccessKey = read.optional('PLATEN_S3_SECRET_ACCESS_KEY')
  const sessionToken = read.optional('PLATEN_S3_SESSION_TOKEN')
  if (accessKeyId === undefined && secretAccessKey === undefined) return undefined
  if (accessKeyId === undefined) {
    throw new ConfigError('PLATEN_S3_ACCESS_KEY_ID', 'is not set, but PLATEN_S3_SECRET_ACCESS_KEY is.')
  }
  if (secretAccessKey === undefined) {
    throw new ConfigError('PLATEN_S3_SECRET_ACCESS_KEY', 'is not set, but PLATEN_S3_ACCESS_KEY_ID is.')
  }
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) }
}
