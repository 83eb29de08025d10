import assert from 'node:assert/strict'
import { access, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { createDatabase } from '../../test/harness.ts'
import { databaseUrl, platen as runPlaten } from './platen.fixture.ts'

async function prepare(t: TestContext) {
  const dir = await mkdtemp(join(tmpdir(), 'platen-commands-'))
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }))
  const file = join(dir, 'users.jsonl')
  await writeFile(file, '{"email":"ada@example.com"}')
  const commands = [
    ['keys', 'rotate', '--now'],
    ['audit', 'verify'],
    ['users', 'import', file, '--dry-run'],
    ['users', 'import', file],
    ['storage', 'collect'],
  ]
  const platen = (args: string[], settings: Record<string, string>) =>
    runPlaten(args, { PLATEN_DATA_DIR: join(dir, 'data'), ...settings })
  return { dir, commands, platen }
}

test('a command does not change a database of another version; `platen migrate` updates it', async (t) => {
  const { commands, platen } = await prepare(t)
  const database = await createDatabase(t)
  const settings = { PLATEN_DATABASE_URL: databaseUrl(database) }
  const client = new pg.Client(database)
  // The database may be dropped before the connection closes.
  client.on('error', () => undefined)
  await client.connect()
  t.after(() => client.end())
  const tables = async (): Promise<string[]> =>
    (
      await client.query(`select oid::regclass::text as name from pg_class where relnamespace = 'public'::regnamespace`)
    ).rows
      .map(({ name }) => name)
      .sort()
  const applied = async (): Promise<string[]> =>
    (await client.query('select name from schema_migrations order by name')).rows.map(({ name }) => name)
  const refuse = async (message: RegExp): Promise<void> => {
    const before = await tables()
    for (const { code, out, err } of await Promise.all(commands.map((words) => platen(words, settings)))) {
      assert.deepEqual([code, out], [1, ''])
      assert.match(err, message)
      assert.doesNotMatch(err, /\n\s+at /)
    }
    assert.deepEqual(await tables(), before)
  }

  await client.query(`insert into schema_migrations (name, sha256) values ('9999_of_later.sql', '')`)
  await refuse(/^platen: The database was migrated by a newer version of Platen \(9999_of_later\.sql\)\./)
  await client.query(`delete from schema_migrations where name >= '0007'`)
  await refuse(
    /^platen: The schema of the database is not that of this version of Platen \(0007_sign_in\.sql[^)]*\)\..*"platen migrate"/,
  )
  assert.ok(!(await applied()).includes('0007_sign_in.sql'))

  await client.query('drop schema public cascade; create schema public; drop schema graphile_worker cascade')
  await refuse(/^platen: The database is not set up yet\. .*"platen migrate"/)
  assert.deepEqual(await tables(), [])
  const migrated = await platen(['migrate'], settings)
  assert.equal(migrated.code, 0, migrated.err)
  assert.ok((await applied()).includes('0007_sign_in.sql'))
  const imported = await platen(['users', 'import', ...(commands[3]?.slice(2) ?? [])], settings)
  assert.equal(imported.code, 0, imported.err)
})

test('a command creates no database in a folder where the service never ran', async (t) => {
  const { dir, commands, platen } = await prepare(t)
  for (const { code, out, err } of await Promise.all(commands.map((words) => platen(words, {})))) {
    assert.deepEqual([code, out], [1, ''])
    assert.match(err, /^platen: The folder .*\/data contains no database yet\. .*PLATEN_DATA_DIR/)
    assert.doesNotMatch(err, /\n\s+at /)
  }
  await assert.rejects(access(join(dir, 'data')), { code: 'ENOENT' })
})
