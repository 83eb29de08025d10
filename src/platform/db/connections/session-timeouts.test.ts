import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sql } from 'kysely'
import { createDatabase } from '../../../../test/harness.ts'
import { createLog } from '../../telemetry/log.ts'
import { openDatabase } from '../index.ts'
import { warnOfMissingTimeouts } from './session-timeouts.ts'

test('timeouts of sessions are set without a pooler, and a start behind one names the statements that set them', async (t) => {
  const settings = await createDatabase(t)
  const lines: string[] = []
  const log = createLog({ level: 'warn', destination: { write: (line: string) => lines.push(line) } as never })
  const own = openDatabase({ ...settings, max: 1 }, log)
  await warnOfMissingTimeouts(own.pool, log)
  assert.deepEqual(lines, [])
  // The settings of a client behind a pooler, without one in between.
  const pooled = openDatabase({ ...settings, direct: settings, max: 1 }, log)
  await warnOfMissingTimeouts(pooled.pool, log)
  const { statements } = JSON.parse(lines.join('')) as { statements: string[] }
  assert.equal(statements.length, 3)
  assert.match(statements.join('\n'), /^alter role \S+ set statement_timeout = 30000;$/m)
  const apart = pooled.openApart()
  const { rows } = await sql<{ timeout: string }>`
    select setting as timeout from pg_settings where name = 'statement_timeout'`.execute(apart.db)
  assert.equal(rows[0]?.timeout, '30000')
  await Promise.all([own.close(), pooled.close(), apart.close()])
})
