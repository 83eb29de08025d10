import { readFile } from 'node:fs/promises'
import { type ImportedUser, importUsers, type ReadUsers, readUsers } from '../auth/index.ts'
import { CommandError } from './command-line/command-error.ts'
import { writeError, writeLine } from './command-line/terminal.ts'
import { userPath } from './command-line/user-path.ts'
import { withDatabase } from './database-server.ts'

const MAX_SHOWN_COMPLAINTS = 50

/** Imports accounts of another system from a file. Returns the exit status. */
export async function importAccounts(file: string, { dryRun = false }: { dryRun?: boolean }): Promise<number> {
  const { users, complaints } = await readFrom(file)
  if (complaints.length > 0) return refuse(complaints)
  return withDatabase(async ({ clock, database: { db } }) => {
    const { added, skipped } = await importUsers({ db, clock }, users, { isRehearsal: dryRun })
    for (const user of skipped) writeLine(`${user.place}: ${user.email} already has an account, which was not changed`)
    writeLine(summary({ added, skipped, dryRun }))
    return 0
  })
}

async function readFrom(file: string): Promise<ReadUsers> {
  const text = await readFile(userPath(file), 'utf8').catch((error: Error) => {
    throw new CommandError(`${file} cannot be read: ${error.message}. Nothing was imported. Check the path.`)
  })
  return readUsers(text)
}

function refuse(complaints: ReadUsers['complaints']): number {
  for (const { place, problem } of complaints.slice(0, MAX_SHOWN_COMPLAINTS)) writeError(`${place} ${problem}`)
  if (complaints.length > MAX_SHOWN_COMPLAINTS) {
    writeError(`... and ${complaints.length - MAX_SHOWN_COMPLAINTS} more`)
  }
  writeError('Nothing was imported.')
  return 1
}

function summary({ added, skipped, dryRun }: { added: number; skipped: ImportedUser[]; dryRun: boolean }): string {
  const verb = dryRun ? 'would be imported' : 'imported'
  return `${added} ${added === 1 ? 'account' : 'accounts'} ${verb}, ${skipped.length} skipped.`
}
