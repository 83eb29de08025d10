import { checkRecord, type RecordVerdict } from '../auth/index.ts'
import { usageError } from './command-line/command-error.ts'
import { writeError, writeLine } from './command-line/terminal.ts'
import { withDatabase } from './database-server.ts'

/** Verifies the log of security events. Returns the exit status. */
export async function verifyAudit({ head }: { head?: string }): Promise<number> {
  const knownHead = head === undefined ? undefined : readHead(head)
  return withDatabase(async ({ config, clock, database: { db } }) =>
    report(await checkRecord({ db, clock, secretFrom: config }, knownHead)),
  )
}

function readHead(text: string): { sequence: number; seal: Buffer } {
  const [, sequence, seal] = /^(\d{1,15}):([0-9a-f]{64})$/i.exec(text.trim()) ?? []
  if (sequence === undefined || seal === undefined) {
    throw usageError(
      `--head is "${text}", which is not a head. Use the head that an earlier verification printed: SEQUENCE:SEAL, such as ` +
        '1024:3f0a...',
    )
  }
  return { sequence: Number(sequence), seal: Buffer.from(seal, 'hex') }
}

function report(verdict: RecordVerdict): number {
  if (!verdict.isSound) {
    writeError(`The record of security events is not sound. ${verdict.message}`)
    return 1
  }
  const { rows, first, last, withoutPersonal, unsealed, head } = verdict
  const noted = `${head.sequence}:${head.seal.toString('hex')}`
  writeLine(`The record of security events is sound: ${rows} ${rows === 1 ? 'row' : 'rows'}.`)
  if (first !== undefined) writeLine(`  first  ${describe(first)}`)
  if (last !== undefined) writeLine(`  last   ${describe(last)}`)
  if (withoutPersonal > 0) {
    writeLine(
      `  ${withoutPersonal} of these rows no longer contain the client's IP address, because the account was deleted.`,
    )
  }
  if (unsealed > 0) writeLine(`  ${unsealed} more events were recorded during the verification and are not sealed yet.`)
  writeLine(`Head: ${noted}`)
  writeLine(
    'Store the head outside of this machine. With it, a later verification detects a truncated or replaced record:',
  )
  writeLine(`  platen audit verify --head ${noted}`)
  return 0
}

function describe({ sequence, id, recordedAt }: { sequence: number; id: string; recordedAt: Date }): string {
  return `${sequence}  ${recordedAt.toISOString()}  ${id}`
}
