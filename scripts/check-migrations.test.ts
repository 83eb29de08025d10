import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { checkMigrations } from './lib/checks/migration-rules.ts'

async function rulesBrokenBy(t: TestContext, sql: string, name = '0100_planted.sql'): Promise<string[]> {
  const dir = await mkdtemp(join(tmpdir(), 'platen-check-migrations-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  await writeFile(join(dir, name), sql)
  return [...new Set(checkMigrations(dir).map(({ rule }) => rule))]
}

const REFUSED: readonly [string, string][] = [
  ['create index orders_note on orders (note);', 'require-concurrent-index-creation'],
  ['drop index orders_note;', 'require-concurrent-index-deletion'],
  ['alter table orders drop column note;', 'ban-drop-column'],
  ['alter table orders rename column note to remark;', 'renaming-column'],
  ['drop table notes;', 'ban-drop-table'],
  ['alter table notes rename to remarks;', 'renaming-table'],
  ['alter table orders alter column total_amount type text;', 'changing-column-type'],
  ['alter table orders alter column note set not null;', 'adding-not-nullable-field'],
  ['alter table orders add column token uuid default gen_random_uuid();', 'adding-field-with-default'],
  ['alter table orders add column token text not null;', 'adding-required-field'],
  ['alter table orders add constraint positive check (total_amount > 0);', 'constraint-missing-not-valid'],
  ['alter table orders add constraint of_user foreign key (a) references users (id);', 'constraint-missing-not-valid'],
  ['alter table orders add constraint one unique (note);', 'disallowed-unique-constraint'],
  ['create index concurrently orders_note on orders (note);', 'no-transaction'],
  ['drop function search_words(text);', 'contract-drops-what-is-used'],
  ["alter type kind rename value 'a' to 'b';", 'contract-renames-what-is-used'],
  ['lock table orders;', 'locks-a-table'],
  ['-- no transaction\nalter table orders add column note text;', 'no-transaction'],
  ['-- contract: drops the column\nalter table orders drop column note;', 'header'],
]

for (const [sql, rule] of REFUSED) {
  test(`rejects ${JSON.stringify(sql)}`, async (t) => {
    assert.ok((await rulesBrokenBy(t, `${sql}\n`)).includes(rule), rule)
  })
}

const ALLOWED: readonly string[] = [
  'alter table orders add column note text;',
  'alter table orders add column priority int not null default 0;',
  'alter table orders add column noted_at timestamptz not null default now();',
  'create table notes (id text primary key, n int not null);\ncreate index notes_n on notes (n);',
  '-- no transaction\ncreate index concurrently orders_note on orders (note);',
  '-- no transaction\ndrop index concurrently orders_note;',
  'alter table orders add constraint positive check (total_amount > 0) not valid;',
  'alter table orders validate constraint positive;',
  '-- contract: needs 0099, which reads the column no more\nalter table orders drop column note;',
  '-- contract: needs 0099\ndrop function search_words(text);',
  '-- The table has ten rows.\n-- squawk-ignore require-concurrent-index-creation\ncreate index orders_note on orders (note);',
]

for (const sql of ALLOWED) {
  test(`allows ${JSON.stringify(sql)}`, async (t) => {
    assert.deepEqual(await rulesBrokenBy(t, `${sql}\n`), [])
  })
}

test('a contract step may break older programs, but no other rule', async (t) => {
  const sql = '-- contract: needs 0099\nalter table orders drop column note;\ncreate index orders_n on orders (n);\n'
  assert.deepEqual(await rulesBrokenBy(t, sql), ['require-concurrent-index-creation'])
})

test('does not check migrations from before the database recorded compatible programs', async (t) => {
  assert.deepEqual(await rulesBrokenBy(t, 'drop table orders;\n', '0023_old.sql'), [])
})

test('rejects two migrations with one number', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'platen-check-migrations-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  for (const name of ['0100_one.sql', '0100_other.sql']) await writeFile(join(dir, name), 'create table a (id text);\n')
  assert.deepEqual(
    checkMigrations(dir).map(({ file, rule }) => [file, rule]),
    [['0100_other.sql', 'number-taken']],
  )
})

test('exits with status 1 and names file, line and rule', async (t) => {
  const dir = await mkdtemp(join(tmpdir(), 'platen-check-migrations-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  await writeFile(join(dir, '0100_planted.sql'), '-- Why.\n\ndrop table orders;\n')
  const { status, stderr } = spawnSync(process.execPath, [join(import.meta.dirname, 'check-migrations.ts'), dir], {
    encoding: 'utf8',
  })
  assert.equal(status, 1)
  assert.match(stderr, /^migrations\/0100_planted\.sql:3\n {4}ban-drop-table: /)
})
