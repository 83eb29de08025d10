import pLimit from 'p-limit'
import type { Config } from '../config/index.ts'
import { STORAGE_REFERENCES } from '../features.ts'
import {
  type Collected,
  type CollectionJobDeps,
  collect,
  inspectObject,
  listReferenced,
  pauseCollection,
  reconcileObjects,
  type StoredObject,
  withCollectionLock,
} from '../platform/storage/index.ts'
import { openObjectStore } from '../storage.ts'
import { CommandError } from './command-line/command-error.ts'
import { type Terminal, writeError, writeLine } from './command-line/terminal.ts'
import { withDatabase } from './database-server.ts'

/** Deletes stored files that no record refers to. Returns the exit status. */
export async function collectStorage({ dryRun = false }: { dryRun?: boolean }): Promise<number> {
  return withDatabase(async ({ config, database, log }) => {
    if (!config.send && !dryRun) {
      throw new CommandError(
        'Nothing was deleted, because PLATEN_SEND is off: a restored copy may use the files of the original installation. ' +
          'Add --dry-run, or unset PLATEN_SEND.',
      )
    }
    const store = await openObjectStore(config)
    try {
      return await run({ database, store, log, references: STORAGE_REFERENCES }, config, dryRun)
    } finally {
      await store.close()
    }
  })
}

const CONCURRENCY = 4

/**
 * Reads every stored file that a record refers to, and lists those that are missing or damaged. Returns the exit
 * status.
 */
export async function verifyStorage(_options: object, { out }: Terminal): Promise<number> {
  return withDatabase(async ({ config, database }) => {
    const store = await openObjectStore(config)
    // Otherwise a file that was listed could be deleted, because its record was deleted, and be reported as missing.
    const pause = await pauseCollection(database, () => writeLine('Waiting until unused files are deleted.', out))
    let [checked, faulty] = [0, 0]
    const limit = pLimit(CONCURRENCY)
    const check = async ({ sha256 }: StoredObject): Promise<void> => {
      const state = await inspectObject(store, sha256)
      checked += 1
      if (state === 'intact') return
      faulty += 1
      writeLine(`${sha256} is ${state}`, out)
    }
    try {
      for await (const batch of listReferenced(database.db, STORAGE_REFERENCES)) {
        await Promise.all(batch.map((object) => limit(check, object)))
      }
    } finally {
      await pause.end()
      await store.close()
    }
    writeLine(`${count(checked, 'file')} checked, ${faulty} missing or damaged.`, out)
    return faulty === 0 ? 0 : 1
  })
}

async function run(deps: CollectionJobDeps, config: Config, dryRun: boolean): Promise<number> {
  const outcome = await withCollectionLock(deps, async (inner) => {
    const found = dryRun ? 0 : await reconcileObjects(inner)
    return { found, collected: await collect(inner, { dryRun }) }
  })
  if (outcome === undefined) {
    writeError(
      'Nothing was done, because another process is deleting unused files or making a backup. Try again later.',
    )
    return 1
  }
  for (const line of describe(config, outcome.found, outcome.collected, dryRun)) writeLine(line)
  return 0
}

function describe({ storageDir, s3 }: Config, found: number, collected: Collected, dryRun: boolean): string[] {
  const { examined, deleted, bytes, leftovers } = collected
  const place = s3 === undefined ? storageDir : `${s3.bucket}/${s3.prefix}`
  const what = `${count(deleted, 'file')} of ${examined} that were stored more than a day ago`
  const lines = [`${place}: ${what} ${dryRun ? 'would be' : 'were'} deleted, ${bytes} bytes.`]
  if (leftovers > 0) lines.push(`${count(leftovers, 'unfinished file')} of killed processes were removed.`)
  if (found > 0) lines.push(`${count(found, 'file')} without a record can be deleted after a day.`)
  return lines
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
