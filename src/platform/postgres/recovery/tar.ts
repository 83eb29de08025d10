/**
 * The part of the format of tar that a copy of a cluster needs (POSIX.1-1988, ustar): folders and files with short
 * names, so that `tar` can unpack a base copy, too.
 *
 * No library, because none would make this shorter or safer. tar-stream and tar add five to ten packages to each
 * installation, one of them with native code. Modern-tar has none, but its streams of the web need an adapter on both
 * sides. With each of them, the checks below would still be ours: only files and folders, only names inside of the folder,
 * and an end that is not missing.
 */

const BLOCK = 512
const NAME_BYTES = 100
/** The largest number of eleven octal digits. PostgreSQL splits its files at 1 GiB. */
const MOST_BYTES = 8 ** 11 - 1

export interface TarEntry {
  /** The path, relative and with slashes. That of a folder ends with one. */
  name: string
  bytes: number
}

/** Makes the header of an entry, which its bytes and then `paddingFor` follow. */
export function headerOf({ name, bytes }: TarEntry): Buffer {
  if (Buffer.byteLength(name) > NAME_BYTES || bytes > MOST_BYTES)
    throw new Error(`${name} does not fit into a tar file`)
  const isFolder = name.endsWith('/')
  const block = Buffer.alloc(BLOCK)
  block.write(name, 0)
  block.write(isFolder ? '0000700\0' : '0000600\0', 100)
  block.write('0000000\0', 108)
  block.write('0000000\0', 116)
  block.write(`${bytes.toString(8).padStart(11, '0')}\0`, 124)
  block.write('00000000000\0', 136)
  // The checksum counts its own field as blanks.
  block.write(' '.repeat(8), 148)
  block.write(isFolder ? '5' : '0', 156)
  block.write('ustar\x0000', 257)
  block.write(`${checksumOf(block).toString(8).padStart(6, '0')}\0 `, 148)
  return block
}

export function paddingFor(bytes: number): Buffer {
  return Buffer.alloc((BLOCK - (bytes % BLOCK)) % BLOCK)
}

export const END_OF_TAR: Buffer = Buffer.alloc(2 * BLOCK)

function checksumOf(block: Buffer): number {
  return block.reduce((sum, byte) => sum + byte, 0)
}

/** Takes the content of the entries of a tar file. */
export interface TarSink {
  begin(entry: TarEntry): Promise<void>
  write(bytes: Buffer): Promise<void>
  end(): Promise<void>
}

/** Reads a tar file that was written with `headerOf`. @throws Error if it is damaged or ends early */
export async function readTar(chunks: AsyncIterable<Buffer>, sink: TarSink): Promise<void> {
  let rest: Buffer = Buffer.alloc(0)
  // Bytes of the present entry, and of the blanks after it, that are still to come.
  let [content, padding] = [0, 0]
  let isOpen = false
  let hasEnded = false
  for await (const chunk of chunks) {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk])
    for (;;) {
      if (content > 0) {
        if (rest.length === 0) break
        const part = rest.subarray(0, content)
        await sink.write(part)
        content -= part.length
        rest = rest.subarray(part.length)
        if (content > 0) break
      }
      if (isOpen) {
        await sink.end()
        isOpen = false
      }
      if (rest.length < padding + BLOCK) break
      const block = rest.subarray(padding, padding + BLOCK)
      rest = rest.subarray(padding + BLOCK)
      padding = 0
      if (block.every((byte) => byte === 0)) {
        hasEnded = true
        continue
      }
      const entry = parseHeader(block)
      await sink.begin(entry)
      isOpen = true
      content = entry.bytes
      padding = paddingFor(entry.bytes).length
    }
  }
  if (!hasEnded || content > 0) throw new Error('the tar file ends early')
}

function parseHeader(block: Buffer): TarEntry {
  const text = (from: number, length: number) => block.toString('utf8', from, from + length).replace(/\0.*$/s, '')
  const copy = Buffer.from(block)
  copy.fill(' ', 148, 156)
  if (Number.parseInt(text(148, 8), 8) !== checksumOf(copy)) throw new Error('a header of the tar file is damaged')
  const name = text(0, NAME_BYTES)
  if (name.startsWith('/') || name.split('/').includes('..')) throw new Error(`the tar file contains ${name}`)
  const bytes = Number.parseInt(text(124, 12), 8)
  // Another program may have packed the file. A link would let a later entry leave the folder.
  if (text(156, 1) !== (name.endsWith('/') ? '5' : '0') || !Number.isSafeInteger(bytes)) {
    throw new Error(`the tar file contains ${name}, which is neither a file nor a folder`)
  }
  return { name, bytes }
}
