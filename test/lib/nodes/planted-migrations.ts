import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'

const OWN = join(import.meta.dirname, '../../../migrations')

/**
 * Copies the migrations of the program and adds some, as a later release would. The copies are removed when the test
 * ends.
 *
 * @param planted SQL by file name. The names sort after those of the program
 * @returns the folder with the copies
 */
export async function plantMigrations(t: TestContext, planted: Readonly<Record<string, string>>): Promise<string> {
  const dir = await mkdtemp(join(tmpdir(), 'platen-migrations-'))
  t.after(() => rm(dir, { recursive: true, force: true }))
  await cp(OWN, dir, { recursive: true })
  for (const [name, sql] of Object.entries(planted)) await writeFile(join(dir, name), sql)
  return dir
}
