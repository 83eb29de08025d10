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
  /** In pixels. */
  width: number
  height: number
}

/** Accepts the path of a PNG or JPEG file, which are the formats that all mail programs show. */
export const checkLogo: Check<Logo> = (value, { name }) => {
  const path = resolve(value)
  const bytes = readOrRefuse(name, path, () => readFileSync(path))
  if (bytes.length > MAX_LOGO_KIB * 1024) {
    throw new ConfigError(name, `names "${value}", which has more than ${MAX_LOGO_KIB} KiB.`)
  }
  const mediaType = mediaTypeOf(bytes)
  if (mediaType === undefined) {
    throw new ConfigError(
      name,
      `names "${value}", which is neither PNG nor JPEG. Not all mail programs show other formats.`,
    )
  }
  const size = mediaType === 'image/png' ? sizeOfPng(bytes) : sizeOfJpeg(bytes)
  if (size === undefined) throw new ConfigError(name, `names "${value}", which is a damaged picture.`)
  return { path, mediaType, ...size }
}

function mediaTypeOf(bytes: Buffer): Logo['mediaType'] | undefined {
  if (bytes.subarray(0, PNG.length).equals(PNG)) return 'image/png'
  return bytes.subarray(0, JPEG.length).equals(JPEG) ? 'image/jpeg' : undefined
}

type Size = Pick<Logo, 'width' | 'height'>

const sizeIfAny = (width: number, height: number): Size | undefined =>
  width > 0 && height > 0 ? { width, height } : undefined

/** The first chunk of a PNG file states its size. */
function sizeOfPng(bytes: Buffer): Size | undefined {
  if (bytes.length < 24 || bytes.toString('latin1', 12, 16) !== 'IHDR') return undefined
  return sizeIfAny(bytes.readUInt32BE(16), bytes.readUInt32BE(20))
}

/** Follows the segments of a JPEG file to the one that begins a frame (SOF). */
function sizeOfJpeg(bytes: Buffer): Size | undefined {
  let at = 2
  while (at + 9 <= bytes.length && bytes[at] === 0xff) {
    const marker = bytes.readUInt8(at + 1)
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return sizeIfAny(bytes.readUInt16BE(at + 7), bytes.readUInt16BE(at + 5))
    // A marker may be preceded by fill bytes.
    at += marker === 0xff ? 1 : 2 + bytes.readUInt16BE(at + 2)
  }
  return undefined
}

/** Accepts the path of a folder. */
export const checkFolder: Check = (value, { name }) => {
  const path = resolve(value)
  if (readOrRefuse(name, path, () => statSync(path)).isDirectory()) return path
  throw new ConfigError(name, `is "${value}", which is not a folder.`)
}

/** Reads something of a file. @throws {ConfigError} with the reason why it cannot be read */
export function readOrRefuse<Result>(name: string, path: string, read: () => Result): Result {
  try {
    return read()
  } catch (error) {
    throw new ConfigError(name, `names "${path}", which cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  }
}
