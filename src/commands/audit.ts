import { checkRecord, type RecordVerdict } from '../auth/index.ts'
import { readConfig } from '../config.ts'
import { systemClock } from '../platform/clock.ts'
import { createLog } from '../platform/log.ts'
import { openForCommand } from './storehouse.ts'
import { complain, say } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const USAGE = 'platen audit verify [--head SEQUENCE:SEAL]'

/** `platen audit ...`: checks the record of security events. Returns the exit code: 0 sound, 1 not. */
export async function audit([action, ...rest]: string[], options: { head?: string | undefined }): Promise<number> {
  if (action !== 'verify' || rest.length > 0) throw new UsageError(`Call it like this: ${USAGE}`)
  const knownHead = options.head === undefined ? undefined : readHead(options.head)
  const config = readConfig()
  const log = createLog({ level: config.logLevel, destination: process.stderr })
  const { database, close } = await openForCommand(config, log)
  try {
    const deps = { db: database.db, clock: systemClock, dataDir: config.dataDir }
    return report(await checkRecord(deps, knownHead))
  } finally {
    await close()
  }
}

function readHead(text: string): { sequence: number; seal: Buffer } {
  const [, sequence, seal] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(text.trim()) ?? []
  if (sequence === undefined || seal === undefined) {
    throw new UsageError(
      `--head is "${text}", but takes what an earlier check said: SEQUENCE:SEAL, such as 1024:3f0a...`,
    )
  }
  return { sequence: Number(sequence), seal: Buffer.from(seal, 'hex') }
}

function report(verdict: RecordVerdict): number {
  if (!verdict.isSound) {
    complain(`The record of security events is not sound. ${verdict.message}`)
    return 1
  }
  const { rows, first, last, withoutPersonal, unsealed, head } = verdict
  const noted = `${head.sequence}:${head.seal.toString('hex')}`
  say(`The record of security events is sound: ${rows} ${rows === 1 ? 'row' : 'rows'}.`)
  if (first !== undefined) say(`  first  ${describe(first)}`)
  if (last !== undefined) say(`  last   ${describe(last)}`)
  if (withoutPersonal > 0) say(`  In ${withoutPersonal} of them the client's address was removed with the account.`)
  if (unsealed > 0) say(`  ${unsealed} more came in meanwhile, and will be sealed in a moment.`)
  say(`Head: ${noted}`)
  say('Keep it in another place. Later, this shows that nothing up to here was cut off or exchanged:')
  say(`  platen audit verify --head ${noted}`)
  return 0
}

function describe({ sequence, id, recordedAt }: { sequence: number; id: string; recordedAt: Date }): string {
  return `${sequence}  ${recordedAt.toISOString()}  ${id}`
}
