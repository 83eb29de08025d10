import { readFileSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { ConfigError } from './config-error.ts'
import type { Check } from './kinds.ts'

/** A logo is part of each mail, so it must be small. */
const MAX_LOGO_KIB = 256

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47])
const JPEG = Buffer.from([0xff, 0xd8, 0xff])

/** A picture of the shop. */
export interface Logo {
  path: string
  mediaType: 'image/png' | 'image/jpeg'
}

/** Accepts the path of a PNG or JPEG file, which are the formats that all mail programs show. */
export const checkLogo: Check<Logo> = (value, { name }) => {
  const path = resolve(value)
  const bytes = readOrRefuse(name, path, () => readFileSync(path))
  if (bytes.length > MAX_LOGO_KIB * 1024) {
    throw new ConfigError(name, `names "${value}", which has more than ${MAX_LOGO_KIB} KiB.`)
  }
  if (bytes.subarray(0, PNG.length).equals(PNG)) return { path, mediaType: 'image/png' }
  if (bytes.subarray(0, JPEG.length).equals(JPEG)) return { path, mediaType: 'image/jpeg' }
  throw new ConfigError(
    name,
    `names "${value}", which is neither PNG nor JPEG. Not all mail programs show other formats.`,
  )
}

/** Accepts the path of a folder. */
export const checkFolder: Check = (value, { name }) => {
  const path = resolve(value)
  if (readOrRefuse(name, path, () => statSync(path)).isDirectory()) return path
  throw new ConfigError(name, `is "${value}", which is not a folder.`)
}

function readOrRefuse<Result>(name: string, path: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw new ConfigError(name, `names "${path}", which cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  }
}
