import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { BaseCopy } from '../archive/read-logs.ts'
import { requireVersions } from './require-versions.ts'

const PRESENT = { program: '1.2.0', migrations: ['0001_a.sql', '0002_b.sql'], major: 18 }

const BASE: BaseCopy = {
  ...{ format: 1, id: 'base', program: '1.1.0', migrations: ['0001_a.sql'], major: 18, timeline: 1 },
  ...{ startLsn: '0/1', stopLsn: '0/2', startedAt: '', endedAt: '', file: { sha256: '', bytes: 0 } },
}

test('a base copy of a newer Platen or of another major PostgreSQL is refused with both versions', () => {
  const refuse = (change: Partial<BaseCopy>, message: RegExp) =>
    assert.throws(() => requireVersions({ ...BASE, ...change }, PRESENT), { code: 'archive_fault', message })
  requireVersions(BASE, PRESENT)
  const { program: _program, migrations: _migrations, ...earlier } = BASE
  requireVersions(earlier, PRESENT)
  refuse(
    { program: '1.3.0', migrations: ['0001_a.sql', '0003_c.sql'] },
    /^Platen 1\.3\.0 with PostgreSQL 18 made the base copy base, which this Platen 1\.2\.0 with PostgreSQL 18 cannot restore\. Nothing was restored\. Its schema is newer \(0003_c\.sql\)\./,
  )
  refuse(
    { program: '2.0.0', major: 19 },
    /^Platen 2\.0\.0 with PostgreSQL 19 .* Use a version of Platen with PostgreSQL 19\.$/,
  )
  refuse({ program: '1.0.0', major: 17 }, /with PostgreSQL 17\. Or restore a backup, without --at/)
})
