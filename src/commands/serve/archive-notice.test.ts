import assert from 'node:assert/strict'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { temporaryDir } from '../../../test/harness.ts'
import { readConfig } from '../../config/index.ts'
import { describeEndingLog } from './archive-notice.ts'

test('a start that ends a log says so, and one that continues it does not', async (t) => {
  const [dataDir, archive] = [await temporaryDir(t), await temporaryDir(t)]
  const describe = (env: Record<string, string>) => describeEndingLog(readConfig({ PLATEN_DATA_DIR: dataDir, ...env }))
  assert.equal(await describe({}), undefined)
  await mkdir(join(dataDir, 'postgres/global'), { recursive: true })
  await writeFile(join(dataDir, 'postgres/global/pg_control'), Buffer.alloc(512))
  await writeFile(join(dataDir, 'wal-archive.json'), JSON.stringify({ log: 'a-log', system: '0', archive }))
  assert.match((await describe({})) ?? '', /has ended \(log a-log\), because PLATEN_WAL_ARCHIVE is not set\./)
  assert.match(
    (await describe({ PLATEN_WAL_ARCHIVE: `${archive}-typo` })) ?? '',
    /PLATEN_WAL_ARCHIVE is now \S+-typo\./,
  )
  assert.equal(await describe({ PLATEN_WAL_ARCHIVE: archive }), undefined)
  // The start itself names an archive that cannot be read.
  const file = join(await temporaryDir(t), 'file')
  await writeFile(file, '')
  assert.equal(await describe({ PLATEN_WAL_ARCHIVE: file }), undefined)
  // The folder was moved.
  const moved = await temporaryDir(t)
  await mkdir(join(moved, 'a-log/wal'), { recursive: true })
  assert.equal(await describe({ PLATEN_WAL_ARCHIVE: moved }), undefined)
})
