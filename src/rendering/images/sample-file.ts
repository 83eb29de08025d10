import { randomUUID } from 'node:crypto'
import { closeSync, openSync, readSync, rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import type { Sharp } from 'sharp'
import type { Samples } from './encode-rows.ts'

/** The size of the header in the file format of libvips. After the header, the samples are stored as in memory. */
const HEADER_BYTES = 64
const UCHAR = 0
/** With less free space than this, a disk counts as full. */
const FULL_BYTES = 64 * 1024

export type SampleFile = Samples & { close(): void }

/**
 * Decodes an image into a file. On Unix, the file is already unlinked when this function returns, and its space is
 * freed when the caller closes it. A file is needed because the samples of a large image and its decoder do not fit
 * into memory together.
 *
 * @param dir folder for the file
 */
export async function decodeToFile(image: Sharp, dir: string): Promise<SampleFile> {
  const path = join(dir, `${randomUUID()}.v`)
  try {
    await image.toFile(path).catch((error: Error) => asSystemError(error, dir))
    return openSampleFile(openSync(path, 'r'))
  } finally {
    rmSync(path, { force: true })
  }
}

/**
 * Adds the system code to an error. libvips reports a full disk only as text. Without the code, the image would seem to
 * be the cause. The text can be lost, because all operations of a process share one buffer for it; therefore the free
 * space counts too, while the incomplete file still occupies the disk.
 */
function asSystemError(error: Error, dir: string): never {
  const isFull = /No space left on device|Disk quota exceeded/.test(error.message) || freeBytes(dir) < FULL_BYTES
  throw isFull ? Object.assign(error, { code: 'ENOSPC', syscall: 'write' }) : error
}

function freeBytes(dir: string): number {
  const { bavail, bsize } = statfsSync(dir)
  return bavail * bsize
}

function openSampleFile(file: number): SampleFile {
  const [widthPx, heightPx, channels] = readHeader(file)
  const rowBytes = widthPx * channels
  let buffer = Buffer.alloc(0)
  return {
    widthPx,
    heightPx,
    channels,
    readRows(from, to) {
      const bytes = (to - from) * rowBytes
      // One buffer serves all pieces, because separate buffers would stay in memory until they are collected.
      if (buffer.length < bytes) buffer = Buffer.allocUnsafe(bytes)
      readFully(file, buffer.subarray(0, bytes), HEADER_BYTES + from * rowBytes)
      return buffer
    },
    close: () => closeSync(file),
  }
}

function readHeader(file: number): [widthPx: number, heightPx: number, channels: number] {
  const header = new DataView(new ArrayBuffer(HEADER_BYTES))
  readFully(file, new Uint8Array(header.buffer), 0)
  const [width, height, bands, , format] = [4, 8, 12, 16, 20].map((at) => header.getInt32(at, true))
  if (format !== UCHAR) throw new Error('The image was not decoded to 8 bits')
  return [width ?? 0, height ?? 0, bands ?? 0]
}

function readFully(file: number, into: Uint8Array, position: number): void {
  for (let at = 0; at < into.length; ) {
    const read = readSync(file, into, at, into.length - at, position + at)
    if (read === 0) throw new Error('The file with the decoded image is truncated')
    at += read
  }
}
