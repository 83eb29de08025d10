import { readConfig } from '../../config/index.ts'
import { countRows, findBackup, listBackups, type Manifest, verifyBackup } from '../../platform/backup/index.ts'
import { type Terminal, writeLine } from '../terminal.ts'
import { openSource } from './places.ts'

/** Lists the complete backups of a place, oldest first. Returns the exit status. */
export async function listAll(place: string, _options: object, { out }: Terminal): Promise<number> {
  const source = await openSource(place, readConfig())
  try {
    const listed = await listBackups(source)
    if (listed.length === 0) writeLine(`${place} contains no complete backup.`, out)
    for (const { id, manifest } of listed) {
      writeLine(manifest === undefined ? `${id}  damaged` : `${id}  ${describe(manifest)}`, out)
    }
    return listed.every(({ manifest }) => manifest !== undefined) ? 0 : 1
  } finally {
    await source.close()
  }
}

/** Reads a backup completely and compares it with its checksums. Returns the exit status. */
export async function verifyOne(place: string, { id }: { id?: string }, { out }: Terminal): Promise<number> {
  const source = await openSource(place, readConfig())
  try {
    const manifest = await findBackup(source, { id })
    await verifyBackup(source, manifest)
    writeLine(`Backup ${manifest.id} is complete and undamaged: ${describe(manifest)}.`, out)
    return 0
  } finally {
    await source.close()
  }
}

function describe({ takenAt, program, database, storage, secret }: Manifest): string {
  const missing = storage.missing.length === 0 ? '' : ` (${storage.missing.length} missing)`
  return [
    takenAt,
    `${countRows(database)} rows`,
    `${storage.objects} files${missing}`,
    `${storage.bytes} bytes`,
    `Platen ${program}`,
    secret === null ? 'without secret' : 'with secret',
  ].join(', ')
}
