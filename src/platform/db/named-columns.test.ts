import assert from 'node:assert/strict'
import { glob, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'

const ROOT = join(import.meta.dirname, '../..')

/** Patterns for reads of all columns, in the query builder and in SQL text. */
const WHOLE_ROWS = [
  /\.(?:selectAll|returningAll)\(/g,
  /\b(?:select|returning)\s+(?:distinct\s+)?(?:\w+\.)?\*/gi,
  /\bselect\b[^`;]*?,\s*\w+\.\*/gi,
]

function findWholeRows(source: string): string[] {
  // Comments may contain these words.
  const code = source.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '')
  return WHOLE_ROWS.flatMap((pattern) => [...code.matchAll(pattern)].map(([found]) => found.trim()))
}

// A prepared statement that returns `*` fails on every connection as soon as a migration adds a column.
test('every statement of the program names its columns and never selects all', async () => {
  const found: string[] = []
  let files = 0
  for await (const path of glob('**/*.ts', {
    cwd: ROOT,
    exclude: ['**/*.test.ts', '**/*.fixture.ts', '**/factory.ts'],
  })) {
    files += 1
    for (const text of findWholeRows(await readFile(join(ROOT, path), 'utf8'))) found.push(`${path}: ${text}`)
  }
  assert.ok(files > 300, `only ${files} files were read`)
  assert.deepEqual(found, [])
})

test('the search for selected stars finds every form and ignores other stars', () => {
  for (const source of [
    "db.selectFrom('orders').selectAll().execute()",
    "query.returningAll('orders')",
    'sql`select * from orders`',
    'sql`select\n o.* from orders o`',
    'sql`update orders set a = 1 returning *`',
    'sql`insert into orders (a) select distinct o.* from orders o`',
    'sql`select o.id, p.* from orders o join payments p`',
  ]) {
    assert.equal(findWholeRows(source).length, 1, source)
  }
  for (const source of ['sql`select count(*) from orders`', 'sql`select a * 2 from b`', '// select * from orders']) {
    assert.deepEqual(findWholeRows(source), [], source)
  }
})
