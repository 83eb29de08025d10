import assert from 'node:assert/strict'
import { tmpdir } from 'node:os'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { Registry } from 'prom-client'
import { Problem } from '../../problem.ts'
import { createLog } from '../../telemetry/log.ts'
import { createFreeDisk, type FileSystemState, type FreeDiskOptions } from './free-disk.ts'

const GIB = 1024 ** 3
const MIB = 1024 ** 2
/** A file of unknown length. */
const UNDECLARED = { least: 1, most: 64 * MIB }

function open(states: Record<string, FileSystemState>, options: Partial<FreeDiskOptions> = {}) {
  const lines: string[] = []
  const destination = { write: (line: string) => lines.push(line) } as unknown as NodeJS.WritableStream
  const registry = new Registry()
  let looks = 0
  const disk = createFreeDisk({
    folders: Object.keys(states),
    floorBytes: undefined,
    log: createLog({ level: 'info', destination }),
    registry,
    readState: async (folder) => {
      looks += 1
      return states[folder] ?? { freeBytes: 0, totalBytes: 0 }
    },
    ...options,
  })
  return { disk, registry, lines, looks: () => looks }
}

async function assertRefused(work: Promise<unknown>): Promise<void> {
  await assert.rejects(work, (error) => {
    assert.ok(error instanceof Problem)
    assert.deepEqual([error.status, error.code], [503, 'storage_unavailable'])
    assert.match(error.extras.headers?.['Retry-After'] ?? '', /^[1-9]\d*$/)
    return true
  })
}

test('by default, 1 GiB stays free on a large file system and 5 % on a small one', async () => {
  const spare = async (freeBytes: number, totalBytes: number) => open({ a: { freeBytes, totalBytes } }).disk
  await (await spare(GIB, 100 * GIB)).requireFree()
  await assertRefused((await spare(GIB - 1, 100 * GIB)).requireFree())
  await (await spare(GIB / 20, GIB)).requireFree()
  await assertRefused((await spare(GIB / 20 - 1, GIB)).requireFree())
})

test('each file system must have its free space, and 0 turns the check off', async () => {
  const states = { a: { freeBytes: 10, totalBytes: 100 }, b: { freeBytes: 9, totalBytes: 100 } }
  await open(states, { floorBytes: 9 }).disk.requireFree()
  await assertRefused(open(states, { floorBytes: 10 }).disk.requireFree())
  await open({ a: { freeBytes: 0, totalBytes: 100 } }, { floorBytes: 0 }).disk.admit(sized(1_000))
})

/** A file that declares its length. */
const sized = (bytes: number) => ({ least: bytes, most: bytes })

test('files that are being written count against the free space until they end', async () => {
  const { disk } = open({ a: { freeBytes: 100, totalBytes: 1_000 } }, { floorBytes: 10 })
  const first = await disk.admit(sized(50))
  await assertRefused(disk.admit(sized(41)))
  const second = await disk.admit(sized(40))
  first.end()
  first.end()
  await assertRefused(disk.admit(sized(51)))
  second.end()
  await disk.admit(sized(90))
})

// Without a reservation before the check, both files would see all of the free space.
test('files that are admitted at the same time count each other', async () => {
  const { disk } = open({ a: { freeBytes: 100, totalBytes: 1_000 } }, { floorBytes: 10 })
  const outcomes = await Promise.allSettled([disk.admit(sized(60)), disk.admit(sized(60))])
  assert.deepEqual(outcomes.map(({ status }) => status).sort(), ['fulfilled', 'rejected'])
})

test('files for which no bytes arrive reserve almost no room, whatever length they declare', async () => {
  const { disk } = open({ a: { freeBytes: 64 * MIB, totalBytes: GIB } }, { floorBytes: 0.5 })
  const silent = [...Array.from({ length: 50 }, () => sized(60 * MIB)), ...Array.from({ length: 50 }, () => UNDECLARED)]
  for (const size of silent) await disk.admit(size)
  await disk.admit(sized(50 * MIB))
  await assertRefused(disk.admit(sized(60 * MIB)))
})

test('a file reserves a limited amount of room ahead of the written bytes, and its bytes count once', async () => {
  const state = { freeBytes: 10 * MIB, totalBytes: GIB }
  const { disk } = open({ a: state }, { floorBytes: 1 })
  const file = await disk.admit(UNDECLARED)
  for (let bytes = 0; bytes <= 4 * MIB; bytes += MIB / 16) await file.cover(bytes)
  // Bytes that were written since the last check of the disk count, although that check cannot include them.
  await assertRefused(disk.admit(sized(6 * MIB)))
  state.freeBytes -= 4 * MIB
  await pause(1_100)
  await assertRefused(disk.admit(sized(6 * MIB)))
  const other = await disk.admit(sized(4.9 * MIB))
  await other.cover(4.9 * MIB)
  await assertRefused(file.cover(6 * MIB))
  other.end()
  file.end()
})

test('concurrent checks read the state of the disk once', async () => {
  const { disk, looks } = open({ a: { freeBytes: 100, totalBytes: 1_000 } }, { floorBytes: 10 })
  await Promise.all(Array.from({ length: 100 }, () => disk.requireFree()))
  assert.equal(looks(), 1)
})

test('a file system that cannot be read is unavailable, and has no metric', async () => {
  const readState = async (): Promise<FileSystemState> => {
    throw new Error('EIO')
  }
  const { disk, registry } = open({ a: { freeBytes: 100, totalBytes: 1_000 } }, { readState })
  await assertRefused(disk.requireFree())
  assert.doesNotMatch(await registry.metrics(), /^platen_storage_free_bytes \d/m)
})

test('the free bytes of the real file system are a metric, and too few are logged once', async () => {
  const lines: string[] = []
  const destination = { write: (line: string) => lines.push(line) } as unknown as NodeJS.WritableStream
  const registry = new Registry()
  const log = createLog({ level: 'info', destination })
  const disk = createFreeDisk({ folders: [tmpdir()], floorBytes: Number.MAX_SAFE_INTEGER, log, registry })
  await assertRefused(disk.requireFree())
  await assertRefused(disk.requireFree())
  assert.match(await registry.metrics(), /^platen_storage_free_bytes [1-9]\d+$/m)
  assert.equal(lines.filter((line) => line.includes('too little disk space')).length, 1)
})
