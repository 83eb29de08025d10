import { readFile } from 'node:fs/promises'
import { type ImportedUser, importUsers, type ReadUsers, readUsers } from '../auth/index.ts'
import { readConfig } from '../config.ts'
import { systemClock } from '../platform/clock.ts'
import { createLog } from '../platform/log.ts'
import { openForCommand } from './storehouse.ts'
import { complain, say } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const USAGE = 'platen users import FILE [--dry-run]'

/** Of a file with thousands of faults, as many as fit on a screen or two. */
const SHOWN = 50

/** `platen users import`: adds accounts from another system. Returns the exit code: 0 done, 1 nothing was done. */
export async function users(
  [action, file, ...rest]: string[],
  options: { 'dry-run'?: boolean | undefined },
): Promise<number> {
  if (action !== 'import' || file === undefined || rest.length > 0) {
    throw new UsageError(`Call it like this: ${USAGE}`)
  }
  // Before the database is opened: a file with faults needs none.
  const { users, complaints } = await readFrom(file)
  if (complaints.length > 0) return refuse(complaints)
  const isRehearsal = options['dry-run'] === true
  const config = readConfig()
  const log = createLog({ level: config.logLevel, destination: process.stderr })
  const { database, close } = await openForCommand(config, log)
  try {
    const { added, skipped } = await importUsers({ db: database.db, clock: systemClock }, users, { isRehearsal })
    for (const user of skipped) say(`${user.place}: ${user.email} has an account already, which stays as it is`)
    say(summary({ added, skipped, isRehearsal }))
    return 0
  } finally {
    await close()
  }
}

async function readFrom(file: string): Promise<ReadUsers> {
  const text = await readFile(file, 'utf8').catch((error: Error) => {
    throw new UsageError(`${file} cannot be read: ${error.message}`)
  })
  return readUsers(text)
}

function refuse(complaints: ReadUsers['complaints']): number {
  for (const { place, problem } of complaints.slice(0, SHOWN)) complain(`${place} ${problem}`)
  if (complaints.length > SHOWN) complain(`... and ${complaints.length - SHOWN} more`)
  complain('Nothing was imported.')
  return 1
}

function summary({ added, skipped, isRehearsal }: { added: number; skipped: ImportedUser[]; isRehearsal: boolean }) {
  const accounts = (count: number): string => `${count} ${count === 1 ? 'account' : 'accounts'}`
  const verb = isRehearsal ? 'would be imported' : 'imported'
  return `${accounts(added)} ${verb}, ${skipped.length} skipped.`
}
