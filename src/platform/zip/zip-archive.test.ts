import assert from 'node:assert/strict'
import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { unzipSync } from 'fflate'
import { type ZipEntry, zipArchive, zipBytes } from './zip-archive.ts'

const AT = new Date('2026-03-01T12:00:00Z')

function entry(path: string, ...pieces: string[]): ZipEntry {
  const bytes = pieces.map((piece) => Buffer.from(piece))
  return { path, bytes: Buffer.concat(bytes).length, open: async () => arrive(bytes) }
}

async function* arrive(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}

test('an archive contains all entries in their order, and has the size that was stated before', async () => {
  const entries = [entry('a/1.pdf', 'one', 'two'), entry('a/2.pdf'), entry('manifest.json', '{}')]
  const archive = await buffer(zipArchive(entries, AT))
  const files = Object.entries(unzipSync(archive)).map(([path, bytes]) => [path, Buffer.from(bytes).toString()])
  assert.deepEqual(files, [
    ['a/1.pdf', 'onetwo'],
    ['a/2.pdf', ''],
    ['manifest.json', '{}'],
  ])
  assert.equal(archive.length, zipBytes(entries))
})

test('an entry is opened only when the entries before it were read', async () => {
  const opened: string[] = []
  const large = Buffer.alloc(64 * 1024)
  const entries = Array.from({ length: 20 }, (_, index): ZipEntry => {
    const path = `${index}.pdf`
    const open = async () => {
      opened.push(path)
      return arrive([large])
    }
    return { path, bytes: large.length, open }
  })
  const archive = zipArchive(entries, AT)
  const reading = archive[Symbol.asyncIterator]()
  await reading.next()
  assert.ok(opened.length < 5, `${opened.length} entries were opened for a reader that has read one piece`)
  archive.destroy()
})

test('an archive fails if an entry is shorter than stated, or cannot be read', async () => {
  const short = { ...entry('a.pdf', 'one'), bytes: 4 }
  await assert.rejects(buffer(zipArchive([short], AT)), /a\.pdf has 3 bytes instead of 4/)
  const gone = { ...entry('a.pdf', 'one'), open: () => Promise.reject(new Error('gone')) }
  await assert.rejects(buffer(zipArchive([gone], AT)), /gone/)
})

test('the content of an entry is closed when the reader leaves', async () => {
  let isClosed = false
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) yield Buffer.alloc(1024)
    } finally {
      isClosed = true
    }
  }
  const archive = zipArchive([{ path: 'a', bytes: 1, open: async () => endless() }], AT)
  const closed = once(archive, 'close')
  await archive[Symbol.asyncIterator]().next()
  archive.destroy()
  await closed
  assert.equal(isClosed, true)
})
