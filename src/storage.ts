import { assetCharges, assetReferences } from './assets/index.ts'
import { colorProfileReferences } from './color-profiles/index.ts'
import { type Config, ConfigError } from './config/index.ts'
import { designCharges, designReferences } from './designs/index.ts'
import { fontCharges, fontReferences } from './fonts/index.ts'
import { orderReferences } from './orders/index.ts'
import {
  type FreeDisk,
  type ObjectStore,
  openFileStore,
  openS3Store,
  S3SetupError,
  type StorageCharges,
  type StorageReferences,
} from './platform/storage/index.ts'

/** The references of every feature to stored files. Files without a reference are deleted. */
export const STORAGE_REFERENCES: readonly StorageReferences[] = [
  assetReferences,
  fontReferences,
  colorProfileReferences,
  designReferences,
  orderReferences,
]

/** Files that count towards the storage quota of an account. Print files and colour profiles do not. */
export const STORAGE_CHARGES: readonly StorageCharges[] = [assetCharges, fontCharges, designCharges]

/**
 * Opens the configured storage.
 *
 * @param freeDisk rejects local copies of files in S3 while the disk is nearly full
 * @throws {ConfigError} if the storage cannot be used
 */
export async function openObjectStore({ storageDir, s3 }: Config, freeDisk?: FreeDisk): Promise<ObjectStore> {
  try {
    return await (s3 === undefined ? openFileStore(storageDir) : openS3Store(s3, storageDir, undefined, freeDisk))
  } catch (error) {
    if (error instanceof S3SetupError) throw new ConfigError('PLATEN_STORAGE_URL', error.message)
    if (!(error instanceof Error && 'syscall' in error)) throw error
    const variable = s3 === undefined ? 'PLATEN_STORAGE_URL' : 'PLATEN_DATA_DIR'
    throw new ConfigError(variable, `names a folder that cannot be used: ${error.message}.`)
  }
}
