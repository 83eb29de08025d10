import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { startTransactionPooler } from '../../../../test/fakes/transaction-pooler.ts'
import { createDatabase } from '../../../../test/harness.ts'
import { plantMigrations } from '../../../../test/lib/nodes/planted-migrations.ts'
import { until } from '../../../../test/lib/until.ts'
import { createLog, type Log } from '../../telemetry/log.ts'
import { LOCKS } from '../locking/locks.ts'
import { findSchemaMismatch, type MigrateOptions, migrate } from './migrate.ts'

const quiet = createLog({ level: 'silent' })

async function start(t: TestContext, planted: Record<string, string> = {}) {
  const settings = await createDatabase(t)
  const dir = await plantMigrations(t, planted)
  const connect = async (name = 'test'): Promise<pg.Client> => {
    const client = new pg.Client({ ...settings, application_name: name })
    // The database may be dropped before the connection ends.
    client.on('error', () => undefined)
    await client.connect()
    t.after(() => client.end())
    return client
  }
  const db = await connect()
  const lines: string[] = []
  const destination = { write: (line: string) => lines.push(line) } as unknown as NodeJS.WritableStream
  const log = createLog({ level: 'info', destination })
  return {
    settings,
    dir,
    db,
    connect,
    lines,
    migrate: (options: MigrateOptions = {}, own: Log = log) => migrate(settings, own, { dir, ...options }),
    applied: async (): Promise<string[]> =>
      (await db.query(`select name from schema_migrations where name > '9000' order by name`)).rows.map(
        ({ name }) => name,
      ),
  }
}

const ADD_COLUMN = { '9001_expand.sql': 'alter table designs add column added text;\n' }

test('if many processes migrate at once, each migration is applied once, and all processes return afterwards', async (t) => {
  const { migrate, applied, db } = await start(t, {
    ...ADD_COLUMN,
    '9002_slow.sql': 'create table slow as select pg_sleep(0.5)::text;\n',
  })
  await Promise.all(Array.from({ length: 4 }, () => migrate()))
  assert.deepEqual(await applied(), ['9001_expand.sql', '9002_slow.sql'])
  assert.equal((await db.query('select from slow')).rowCount, 1)
})

test('a process that waits for another migration logs its holder repeatedly, and finally fails with the holder in the error', async (t) => {
  const { migrate, connect, lines, applied } = await start(t, ADD_COLUMN)
  const holder = await connect('somebody else')
  await holder.query('begin')
  await holder.query('select pg_advisory_xact_lock($1)', [LOCKS.migration])
  const { pid } = (await holder.query('select pg_backend_pid() as pid')).rows[0]
  await assert.rejects(migrate({ lockWaitMs: 1_200, reportEveryMs: 300 }), (error: Error) => {
    assert.equal(error.name, 'MigrationError')
    assert.match(error.message, new RegExp(`process ${pid} \\("somebody else", idle in transaction since 20.*Z\\)`))
    return true
  })
  const reports = lines.filter((line) => line.includes('another process that migrates the database'))
  assert.ok(reports.length >= 2, `${reports.length} reports`)
  assert.match(reports[0] ?? '', new RegExp(`"pid":${pid},"applicationName":"somebody else"`))
  assert.deepEqual(await applied(), [])
})

test('a migrated database is used without waiting for the migration lock', async (t) => {
  const { migrate, connect } = await start(t)
  const holder = await connect()
  await holder.query('begin')
  await holder.query('select pg_advisory_xact_lock($1)', [LOCKS.migration])
  await migrate({ lockWaitMs: 0 })
})

test('a migrator that is killed during a statement leaves no changes, and the next one continues', async (t) => {
  const { settings, dir, migrate, applied, db } = await start(t, {
    '9001_killed.sql':
      "create table half (n int);\nselect pg_sleep(case when current_setting('application_name') = 'platen migrate' then 600 end);\n",
  })
  const killed = spawnMigrator(settings, dir)
  t.after(() => killed.kill('SIGKILL'))
  await until('the migration to run', async () => {
    const { rowCount } = await db.query(
      `select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'`,
    )
    return rowCount === 1
  })
  killed.kill('SIGKILL')
  await once(killed, 'exit')
  // Applies the same migration in a version that ends. Its different hash is accepted, because the killed attempt
  // recorded nothing.
  const next = await plantMigrations(t, { '9001_killed.sql': 'create table half (n int);\n' })
  await migrate({ dir: next, tableLockMs: 300, tableLockRetryMs: 30_000 })
  assert.deepEqual(await applied(), ['9001_killed.sql'])
})

function spawnMigrator(settings: pg.PoolConfig, dir: string): ChildProcess {
  const text = `
    const { migrate } = await import(${JSON.stringify(join(import.meta.dirname, 'migrate.ts'))})
    const { createLog } = await import(${JSON.stringify(join(import.meta.dirname, '../../telemetry/log.ts'))})
    await migrate(${JSON.stringify(settings)}, createLog({ level: 'silent' }), ${JSON.stringify({ dir })})`
  return spawn(process.execPath, ['--input-type=module', '-e', text], { stdio: 'ignore' })
}

test('a migration that waits for a table lock lets other statements run between attempts, and logs what blocks it', async (t) => {
  const { migrate, connect, lines, applied, db } = await start(t, ADD_COLUMN)
  const reader = await connect('long reader')
  await reader.query('begin')
  await reader.query('select from designs')
  const migrating = migrate({ tableLockMs: 600, tableLockRetryMs: 60_000 })
  await until('two tries', () => lines.filter((line) => line.includes('gets no table lock')).length >= 2)
  // If the lock request of the migration stayed in the queue, this read would wait behind it.
  await db.query('select from designs')
  assert.match(
    lines.find((line) => line.includes('gets no table lock')) ?? '',
    /"migration":"9001_expand.sql","waitsFor":"AccessExclusiveLock on designs","blockedBy":\[\{"pid":\d+,"applicationName":"long reader","state":"idle in transaction"/,
  )
  await reader.query('commit')
  await migrating
  assert.deepEqual(await applied(), ['9001_expand.sql'])
})

test('a migration that gets no lock in time fails with the holder of the lock, and leaves no changes', async (t) => {
  const { migrate, connect, applied } = await start(t, ADD_COLUMN)
  const reader = await connect('long reader')
  await reader.query('begin')
  await reader.query('select from designs')
  await assert.rejects(
    migrate({ tableLockMs: 600, tableLockRetryMs: 100 }),
    /^MigrationError: migrations\/9001_expand\.sql was not applied: it waits for AccessExclusiveLock on designs, held by process \d+ \("long reader", idle in transaction since/,
  )
  assert.deepEqual(await applied(), [])
})

test('time limits of the role apply to requests, and a migration may take longer', async (t) => {
  const { db, settings, migrate, applied } = await start(t, { '9001_slow.sql': 'select pg_sleep(1);\n' })
  for (const limit of ['statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout']) {
    await db.query(`alter database ${settings.database} set ${limit} = '600ms'`)
  }
  await migrate()
  assert.deepEqual(await applied(), ['9001_slow.sql'])
})

test('an index is built concurrently, and an incomplete one from an interrupted migration is rebuilt', {
  timeout: 120_000,
}, async (t) => {
  const { db, migrate, applied, lines } = await start(t, {
    '9001_index.sql':
      '-- no transaction\n-- Two.\ncreate unique index concurrently orders_test on parts (n);\ncreate index concurrently orders_other on parts (n);\n',
  })
  await db.query('create table parts (n int); insert into parts values (1), (1)')
  await assert.rejects(migrate(), /9001_index\.sql failed: could not create unique index/)
  const valid = async () =>
    (
      await db.query(
        `select indexrelid::regclass::text as name, indisvalid as valid from pg_index where indrelid = 'parts'::regclass order by 1`,
      )
    ).rows
  assert.deepEqual(await valid(), [{ name: 'orders_test', valid: false }])
  await db.query('delete from parts where ctid = (select ctid from parts limit 1)')
  await migrate()
  assert.deepEqual(await valid(), [
    { name: 'orders_other', valid: true },
    { name: 'orders_test', valid: true },
  ])
  assert.deepEqual(await applied(), ['9001_index.sql'])
  assert.match(lines.join(''), /"index":"orders_test","msg":"an interrupted migration left an incomplete index/)
})

test('an index that was completed before the process was killed is not built again', async (t) => {
  const { db, migrate, applied } = await start(t, {
    '9001_index.sql': '-- no transaction\ncreate index concurrently parts_n on parts (n);\n',
  })
  await db.query('create table parts (n int); create index parts_n on parts (n)')
  await migrate()
  assert.deepEqual(await applied(), ['9001_index.sql'])
})

test('behind a transaction pooler, the migration lock holds and is released', async (t) => {
  const { settings, dir, db, applied } = await start(t, {
    ...ADD_COLUMN,
    '9002_slow.sql': 'create table slow as select pg_sleep(0.5)::text;\n',
    '9003_index.sql': '-- no transaction\ncreate index concurrently designs_added on designs (added);\n',
  })
  const pooled = await startTransactionPooler(t, settings, 5)
  await Promise.all(Array.from({ length: 3 }, () => migrate(pooled, quiet, { dir, lockWaitMs: 60_000 })))
  assert.deepEqual(await applied(), ['9001_expand.sql', '9002_slow.sql', '9003_index.sql'])
  // The view contains the locks of all databases, and other tests migrate theirs meanwhile.
  const held = await db.query(
    `select from pg_locks where locktype = 'advisory' and objid = $1
      and database = (select oid from pg_database where datname = current_database())`,
    [LOCKS.migration],
  )
  assert.equal(held.rowCount, 0)
  // The lock works with any connection of the pooler, and also without the pooler.
  const later = await plantMigrations(t, {
    ...ADD_COLUMN,
    '9002_slow.sql': 'create table slow as select pg_sleep(0.5)::text;\n',
    '9003_index.sql': '-- no transaction\ncreate index concurrently designs_added on designs (added);\n',
    '9004_more.sql': 'select 1;\n',
  })
  await migrate(settings, quiet, { dir: later, lockWaitMs: 5_000 })
})

test('a program starts on a database of a newer version only if the database allows it', async (t) => {
  const expanded = await start(t, ADD_COLUMN)
  await expanded.migrate()
  // This program does not know the planted migration.
  await migrate(expanded.settings, quiet)
  assert.equal(await findSchemaMismatch(expanded.settings), undefined)

  const contracted = await start(t, {
    ...ADD_COLUMN,
    '9002_contract.sql':
      '-- contract: needs 9001, which writes the column no more\nalter table designs drop column added;\n',
  })
  await contracted.migrate()
  const refusal = /migrated by a newer version of Platen \(9002_contract\.sql\)\. Use that version or a later one\./
  await assert.rejects(migrate(contracted.settings, quiet), refusal)
  assert.match((await findSchemaMismatch(contracted.settings)) ?? '', refusal)
  // The release before the contract step knows the migration that it requires.
  const before = await plantMigrations(t, ADD_COLUMN)
  await migrate(contracted.settings, quiet, { dir: before })
  assert.equal(await findSchemaMismatch(contracted.settings, { dir: before }), undefined)

  const silent = await start(t)
  await silent.db.query(`insert into schema_migrations (name, sha256) values ('9999_of_later.sql', '')`)
  await assert.rejects(silent.migrate(), /newer version of Platen \(9999_of_later\.sql\)/)
})

test('a program whose migrations differ from those of a database changes nothing', async (t) => {
  const { migrate: first, settings } = await start(t, ADD_COLUMN)
  await first()
  const other = await plantMigrations(t, { '9000_other.sql': 'create table other (n int);\n' })
  await assert.rejects(migrate(settings, quiet, { dir: other }), /another version.*9001_expand\.sql.*9000_other\.sql/s)
  assert.match((await findSchemaMismatch(settings, { dir: other })) ?? '', /Use the version that migrated it/)
})

test('a migration that was edited after it was applied stops the start', async (t) => {
  const { migrate, settings } = await start(t, ADD_COLUMN)
  await migrate()
  const edited = await plantMigrations(t, { '9001_expand.sql': 'alter table designs add column added int;\n' })
  await assert.rejects(migrate({ dir: edited }), /9001_expand\.sql has changed since it was applied/)
  assert.match((await findSchemaMismatch(settings, { dir: edited })) ?? '', /has changed since it was applied/)
})

test('a contract step without the required migration is rejected before anything is applied', async (t) => {
  for (const line of ['-- contract', '-- contract: drops a column', '-- contract: needs 9003']) {
    const { migrate, applied } = await start(t, {
      ...ADD_COLUMN,
      '9002_contract.sql': `${line}\nalter table designs drop column added;\n`,
    })
    await assert.rejects(migrate(), /^MigrationError: migrations\/9002_contract\.sql: .* names no migration/)
    assert.deepEqual(await applied(), [])
  }
})
