import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { test } from 'node:test'
import fc from 'fast-check'
import { entryOf } from './read-cluster.ts'
import { END_OF_TAR, headerOf, readTar, type TarSink } from './tar.ts'

type Files = readonly (readonly [name: string, content: Buffer])[]

function pack(files: Files): Buffer {
  return Buffer.concat([...files.flatMap(([name, content]) => [...entryOf(name, content)]), END_OF_TAR])
}

/** Cuts bytes into chunks of these sizes, and a rest. */
function* cut(bytes: Buffer, sizes: readonly number[]): Generator<Buffer> {
  let from = 0
  for (const size of sizes) {
    yield bytes.subarray(from, from + size)
    from += size
  }
  yield bytes.subarray(from)
}

async function unpack(bytes: Buffer, sizes: readonly number[] = []): Promise<[string, Buffer][]> {
  const files: [string, Buffer][] = []
  const sink: TarSink = {
    begin: async ({ name }) => void files.push([name, Buffer.alloc(0)]),
    write: async (part) => {
      const [name, before] = files.pop() ?? ['', Buffer.alloc(0)]
      files.push([name, Buffer.concat([before, part])])
    },
    end: async () => undefined,
  }
  async function* chunks(): AsyncGenerator<Buffer> {
    yield* cut(bytes, sizes)
  }
  await readTar(chunks(), sink)
  return files
}

const NAME = fc.string({ unit: fc.constantFrom('a', 'b', '.', '_', 'ü', '7'), minLength: 1, maxLength: 40 })
const FILE = fc.tuple(
  NAME.filter((name) => name !== '..'),
  fc.uint8Array({ maxLength: 1500 }).map((bytes) => Buffer.from(bytes)),
)

test('files are read as they were written, in whatever chunks they arrive', async () => {
  const sizes = fc.array(fc.nat({ max: 1200 }), { maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(fc.array(FILE, { maxLength: 4 }), sizes, async (files, chunks) => {
      assert.deepEqual(await unpack(pack(files), chunks), files)
    }),
  )
})

test('a tar file that is cut off is rejected wherever it ends', async () => {
  const bytes = pack([
    ['folder/', Buffer.alloc(0)],
    ['folder/file', Buffer.alloc(700, 'x')],
  ])
  for (let length = 0; length <= bytes.length - END_OF_TAR.length; length += 100) {
    await assert.rejects(unpack(bytes.subarray(0, length)), /the tar file ends early/, `${length} bytes`)
  }
})

test('a damaged header, a name outside of the folder and a link are rejected', async () => {
  const header = headerOf({ name: 'file', bytes: 0 })
  await assert.rejects(unpack(Buffer.concat([header.with(1, 0x7a), END_OF_TAR])), /header of the tar file is damaged/)
  for (const name of ['/etc/passwd', 'a/../../b', '..']) {
    await assert.rejects(unpack(pack([[name, Buffer.alloc(0)]])), /the tar file contains/)
  }
  // The checksum counts each byte, so that two changes cancel out.
  const link = Buffer.from(header)
  link.writeUInt8(0x32, 156)
  link.writeUInt8(link.readUInt8(0) - 2, 0)
  await assert.rejects(unpack(Buffer.concat([link, END_OF_TAR])), /neither a file nor a folder/)
})

test('the program tar reads what was written', () => {
  const bytes = pack([
    ['base/', Buffer.alloc(0)],
    ['base/1', Buffer.from('content')],
  ])
  assert.equal(execFileSync('tar', ['-tf', '-'], { input: bytes }).toString(), 'base/\nbase/1\n')
  assert.equal(execFileSync('tar', ['-xOf', '-', 'base/1'], { input: bytes }).toString(), 'content')
})
