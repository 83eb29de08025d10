import { isAbsolute, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { S3Settings } from '../platform/storage/index.ts'
import type { Settings } from './settings.ts'
import { checkServiceUrl, isExposed } from './values/checks.ts'
import { ConfigError } from './values/config-error.ts'
import { readPair } from './values/kinds.ts'

const VARIABLE = 'PLATEN_STORAGE_URL'
const FORMS = 'file:///path/to/folder, or s3://bucket/prefix?region=eu-central-1'

export interface StorageSettings {
  /**
   * Folder of the stored files. If files are in a bucket, this folder contains unfinished uploads and the copies that
   * rendering uses.
   */
  storageDir: string
  /** The bucket of the files. If undefined, files are stored in the folder. */
  s3: S3Settings | undefined
  /** Credentials of buckets. Undefined: the Amazon libraries search for them. */
  s3Credentials: S3Settings['credentials']
  /** Maximum number of bytes that one account may store. Undefined means no limit. */
  storageQuotaBytes: number | undefined
  /**
   * Number of bytes of disk space that must stay free. If undefined, the default depends on the size of the file
   * system. 0 means no minimum.
   */
  storageFreeBytes: number | undefined
}

const MIB = 1024 * 1024

/**
 * Reads `PLATEN_STORAGE_URL` and the settings that belong to it. The forms are `file:PATH`, `file:///PATH` and
 * `s3://BUCKET[/PREFIX]?region=&endpoint=&pathStyle=&redirect=&insecure=`.
 */
export function readStorage(settings: Settings, dataDir: string): StorageSettings {
  const { PLATEN_STORAGE_QUOTA_MIB: quotaMib, PLATEN_STORAGE_FREE_MIB: freeMib } = settings
  return {
    ...readPlace(settings, dataDir),
    s3Credentials: readCredentials(settings),
    storageQuotaBytes: quotaMib === 0 ? undefined : quotaMib * MIB,
    storageFreeBytes: freeMib === undefined ? undefined : freeMib * MIB,
  }
}

function readPlace(settings: Settings, dataDir: string): Pick<StorageSettings, 'storageDir' | 's3'> {
  const { PLATEN_STORAGE_URL: value, PLATEN_STORAGE_CACHE_MIB: cacheMib, production } = settings
  const credentials = readCredentials(settings)
  if (value === undefined) return { storageDir: join(dataDir, 'storage'), s3: undefined }
  if (value.startsWith('file:')) return { storageDir: readFolder(value), s3: undefined }
  if (!value.startsWith('s3:')) throw new ConfigError(VARIABLE, `is "${value}", but must look like ${FORMS}.`)
  const bucket = readBucket({ name: VARIABLE, value, production })
  return { storageDir: join(dataDir, 'storage-cache'), s3: { ...bucket, credentials, cacheBytes: cacheMib * MIB } }
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

const PARAMETERS = ['region', 'endpoint', 'pathStyle', 'redirect', 'insecure']

interface BucketUrl {
  /** What to name in errors. */
  name: string
  value: string
  production: boolean
}

/**
 * Reads the URL of a bucket for backups. If it has no region, region, endpoint and form of the URL are those of the
 * bucket of the storage.
 */
export function readBackupBucket(
  value: string,
  { production, s3, s3Credentials }: Pick<StorageSettings, 's3' | 's3Credentials'> & { production: boolean },
): S3Settings {
  const bucket = readBucket({ name: value, value, production }, s3)
  return { ...bucket, credentials: s3Credentials, cacheBytes: 0 }
}

type Bucket = Omit<S3Settings, 'credentials' | 'cacheBytes'>

function readBucket({ name, value, production }: BucketUrl, fallback?: Bucket): Bucket {
  const url = URL.canParse(value) ? new URL(value) : undefined
  // The message does not contain the value, because the value contains a secret.
  if (url !== undefined && (url.username !== '' || url.password !== '')) {
    throw new ConfigError(
      VARIABLE,
      'contains an access key. Set PLATEN_S3_ACCESS_KEY_ID and PLATEN_S3_SECRET_ACCESS_KEY instead.',
    )
  }
  if (url === undefined || !/^[a-z0-9][a-z0-9._-]{1,253}$/.test(url.hostname) || url.port !== '' || url.hash !== '') {
    throw new ConfigError(name, `is "${value}", but must look like ${FORMS}.`)
  }
  const unknown = [...url.searchParams.keys()].find((one) => !PARAMETERS.includes(one))
  if (unknown !== undefined) {
    throw new ConfigError(name, `has "${unknown}=", but takes ${PARAMETERS.map((one) => `${one}=`).join(', ')}.`)
  }
  if (url.search === '' && fallback !== undefined) {
    return { ...fallback, bucket: url.hostname, prefix: readPrefix(url, name) }
  }
  const endpoint = readEndpoint(url, { name, production })
  const region = url.searchParams.get('region') ?? (endpoint === undefined ? undefined : 'us-east-1')
  if (region === undefined || region === '') {
    throw new ConfigError(name, 'has no region. Add the region of the bucket, such as ?region=eu-central-1.')
  }
  return {
    bucket: url.hostname,
    prefix: readPrefix(url, name),
    region,
    endpoint,
    pathStyle: readSwitch(url, 'pathStyle', endpoint !== undefined),
    redirect: readSwitch(url, 'redirect', true),
  }
}

function readPrefix(url: URL, name: string): string {
  let path: string
  try {
    path = decodeURIComponent(url.pathname).replace(/^\/+|\/+$/g, '')
  } catch {
    throw new ConfigError(
      name,
      `has the prefix "${url.pathname}", where a % is not followed by the code of a character.`,
    )
  }
  if (!/^[\w.!()/-]*$/.test(path) || path.split('/').includes('..')) {
    throw new ConfigError(name, `has the prefix "${path}", but takes letters, digits and -_.!()/ there.`)
  }
  return path === '' ? '' : `${path}/`
}

function readEndpoint(url: URL, { name, production }: Pick<BucketUrl, 'name' | 'production'>): string | undefined {
  const value = url.searchParams.get('endpoint')
  if (value === null) return undefined
  // For a network that only this machine and the storage share, such as that of containers.
  const needsHttps = production && !readSwitch(url, 'insecure', false)
  const endpoint = checkServiceUrl(value, { name, value, production: needsHttps })
  if (needsHttps && isExposed(new URL(endpoint))) {
    throw new ConfigError(
      name,
      'has an endpoint that must start with https: when NODE_ENV is production, unless it is on this machine. In a network that no other program can read, add &insecure=on.',
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

function readCredentials(settings: Settings): S3Settings['credentials'] {
  const pair = readPair(settings, 'PLATEN_S3_ACCESS_KEY_ID', 'PLATEN_S3_SECRET_ACCESS_KEY')
  const { PLATEN_S3_SESSION_TOKEN: sessionToken } = settings
  return (
    pair && {
      accessKeyId: pair[0],
      secretAccessKey: pair[1],
      ...(sessionToken === undefined ? {} : { sessionToken }),
    }
  )
}
