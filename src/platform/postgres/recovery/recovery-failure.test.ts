import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createServerLog } from '../server-log.ts'
import { recoveryFailure } from './recovery-failure.ts'

test('a recovery that a full disk ended is told from one that failed', () => {
  const site = { dataDir: '/srv/copy', serverLog: createServerLog('/srv/copy/postgres.log') }
  for (const messages of [
    'FATAL:  could not write to file "pg_wal/xlogtemp.42": No space left on device',
    'The disk of pg_wal/RECOVERYXLOG is full: ENOSPC: no space left on device, write',
    'PANIC:  could not write to file "base/1/2": Disk quota exceeded',
  ]) {
    const error = recoveryFailure(site, messages)
    assert.equal(error.code, 'disk_full')
    assert.match(error.message, /the disk of \/srv\/copy is full\. The archive is not damaged\./)
  }
  assert.equal(recoveryFailure(site, 'FATAL:  could not restore file').code, 'recovery_failed')
})
