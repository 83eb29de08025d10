import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { openDatabase } from '../../src/platform/db/index.ts'
import { createLog } from '../../src/platform/telemetry/log.ts'
import { createDatabase, startService } from '../harness.ts'
import { OPERATIONS } from './operations.ts'
import { measureStalls, STALL_MS, startMeasured } from './stalls.ts'

test('the test has a largest input for every operation of the API, and no others', async (t) => {
  const service = await startService(t)
  const { body } = await service.request('GET', '/openapi.json')
  const operations = Object.values<Record<string, { operationId: string }>>(body.paths).flatMap(Object.values)
  const ids = operations.map(({ operationId }) => operationId).sort()
  assert.deepEqual(Object.keys(OPERATIONS).sort(), ids)
})

test(`no operation or page with its largest input delays /health/live by more than ${STALL_MS} ms`, async (t) => {
  const database = await createDatabase(t)
  const { host, port, user } = database
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-data-'))
  t.after(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }))
  const service = await startMeasured({
    PLATEN_DATABASE_URL: `postgres:///${database.database}?host=${host}&port=${port}&user=${user}`,
    PLATEN_DATA_DIR: dataDir,
  })
  t.after(() => service.stop())
  const beside = openDatabase({ ...database, max: 2 }, createLog({ level: 'silent' }))
  t.after(() => beside.close())
  const stalls = await measureStalls(service, beside.db)
  const faults = stalls.flatMap(({ name, fault }) => (fault === undefined ? [] : [`${name}: ${fault}`]))
  assert.deepEqual(faults, [])
  const tooLong = stalls.filter(({ stallMs }) => stallMs > STALL_MS)
  assert.deepEqual(
    tooLong.map(({ name, stallMs }) => `${name}: ${Math.round(stallMs)} ms`),
    [],
  )
})
