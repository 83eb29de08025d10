import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { test } from 'node:test'
import { temporaryDir } from '../../../test/harness.ts'
import { platen } from '../platen.fixture.ts'

test('the same port for metrics and requests is refused before PostgreSQL starts', async (t) => {
  const PLATEN_DATA_DIR = await temporaryDir(t)
  const same = { PLATEN_DATA_DIR, PLATEN_PORT: '21901', PLATEN_METRICS_PORT: '21901' }
  const { code, out, err } = await platen(['serve'], same)
  assert.deepEqual([code, out], [78, ''])
  assert.equal(err, 'platen: PLATEN_METRICS_PORT is 21901, as PLATEN_PORT. Choose another port for one of them.\n')
  assert.deepEqual(await readdir(PLATEN_DATA_DIR), [])
})
