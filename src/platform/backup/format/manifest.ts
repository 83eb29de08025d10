import { createHash, randomBytes } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { BackupError } from './backup-error.ts'

/** The version of the format. A program refuses backups with a later one. */
const FORMAT = 1

const closed = { additionalProperties: false } as const
const Sha256 = Type.String({ pattern: '^[0-9a-f]{64}$' })
const Count = Type.Integer({ minimum: 0 })

/** A part of a backup: a compressed file in the object store of the target, and what it contains. */
const Part = Type.Object(
  {
    /** The compressed file. */
    file: Type.Object({ sha256: Sha256, bytes: Count }, closed),
    /** What the file contains after decompression, one row on each line. */
    content: Type.Object({ sha256: Sha256, bytes: Count, lines: Count }, closed),
  },
  closed,
)
export type Part = Static<typeof Part>

const TablePart = Type.Object({ name: Type.String(), columns: Type.Array(Type.String()), part: Part }, closed)
export type TablePart = Static<typeof TablePart>

const Manifest = Type.Object(
  {
    format: Type.Literal(FORMAT),
    id: Type.String(),
    /** When the snapshot of the database was taken. */
    takenAt: Type.String(),
    /** The version of the program that made the backup. */
    program: Type.String(),
    database: Type.Object(
      {
        server: Type.String(),
        /** The applied migrations. A restore applies exactly these. */
        migrations: Type.Array(Type.Object({ name: Type.String(), sha256: Sha256 }, closed)),
        tables: Type.Array(TablePart),
        sequences: Type.Array(
          Type.Object({ name: Type.String(), last: Type.String(), isCalled: Type.Boolean() }, closed),
        ),
      },
      closed,
    ),
    storage: Type.Object(
      {
        objects: Count,
        bytes: Count,
        /** Hash and size of each object to which the database refers. */
        list: Part,
        /** Objects that the storage had lost when the backup was made. */
        missing: Type.Array(Sha256),
      },
      closed,
    ),
    /** The secret of the service, encrypted with a passphrase. Null if the backup does not contain it. */
    secret: Type.Union([
      Type.Object(
        {
          kdf: Type.Literal('scrypt'),
          cost: Type.Integer({ minimum: 2, maximum: 2 ** 18 }),
          blockSize: Type.Integer({ minimum: 1, maximum: 8 }),
          parallelization: Type.Integer({ minimum: 1, maximum: 4 }),
          salt: Type.String(),
          sealed: Type.String(),
          /** Tells which backups have the same secret. Earlier versions did not write it. */
          fingerprint: Type.Optional(Sha256),
        },
        closed,
      ),
      Type.Null(),
    ]),
  },
  closed,
)
export type Manifest = Static<typeof Manifest>
export type SealedSecret = NonNullable<Manifest['secret']>
export type Unsealed = Omit<Manifest, 'secret'>

export function newManifest(content: Omit<Unsealed, 'format'>): Unsealed {
  return { format: FORMAT, ...content }
}

/** Counts the rows of all tables. */
export function countRows({ tables }: Manifest['database']): number {
  return tables.reduce((sum, { part }) => sum + part.content.lines, 0)
}

/** Makes the id of a backup. Ids sort by the time at which the backup was begun. */
export function newBackupId(now: Date): string {
  return `${now.toISOString().slice(0, 19).replaceAll(':', '-')}Z-${randomBytes(3).toString('hex')}`
}

export function isBackupId(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ-[0-9a-f]{6}$/.test(text)
}

/** Writes a manifest as JSON with its checksum, which detects damaged bytes. */
export function encodeManifest(manifest: Manifest): Buffer {
  return Buffer.from(`${JSON.stringify({ sha256: digestOf(manifest), manifest }, null, 2)}\n`)
}

/** @throws {BackupError} if the manifest is damaged, or a later version of the program wrote it */
export function decodeManifest(bytes: Buffer, id: string): Manifest {
  let parsed: { sha256?: unknown; manifest?: { format?: unknown } }
  try {
    parsed = JSON.parse(bytes.toString('utf8'))
  } catch {
    throw new BackupError(`The manifest of the backup ${id} is damaged. Use another backup.`)
  }
  const { sha256, manifest } = parsed ?? {}
  if (typeof manifest?.format === 'number' && manifest.format > FORMAT) {
    throw new BackupError(`A newer version of Platen made the backup ${id}. Use that version or a later one.`)
  }
  if (!Value.Check(Manifest, manifest) || manifest.id !== id || digestOf(manifest) !== sha256) {
    throw new BackupError(`The manifest of the backup ${id} is damaged. Use another backup.`)
  }
  return manifest
}

/** Returns the SHA-256 of a manifest or of its members. */
export function digestOf(manifest: Manifest | Unsealed): string {
  return createHash('sha256').update(JSON.stringify(manifest)).digest('hex')
}
