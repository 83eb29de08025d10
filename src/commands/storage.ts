import { type Config, readConfig } from '../config.ts'
import { createLog } from '../platform/log.ts'
import {
  type Collected,
  type CollectionJobDeps,
  collect,
  takeStock,
  withCollectionLock,
} from '../platform/storage/index.ts'
import { openObjectStore, STORAGE_REFERENCES } from '../storage.ts'
import { openForCommand } from './storehouse.ts'
import { complain, say } from './terminal.ts'
import { UsageError } from './usage-error.ts'

const USAGE = 'platen storage collect [--dry-run]'

export interface StorageOptions {
  'dry-run'?: boolean | undefined
}

/** `platen storage ...`: deletes the stored bytes that nothing needs. Returns the exit code: 0 done, 1 another process is at it. */
export async function storage([action, ...rest]: string[], options: StorageOptions): Promise<number> {
  if (action !== 'collect' || rest.length > 0) throw new UsageError(`Call it like this: ${USAGE}`)
  const config = readConfig()
  const log = createLog({ level: config.logLevel, destination: process.stderr })
  const { database, close } = await openForCommand(config, log)
  try {
    const store = await openObjectStore(config)
    try {
      const deps = { database, store, log, references: STORAGE_REFERENCES }
      return await run(deps, config, options['dry-run'] === true)
    } finally {
      await store.close()
    }
  } finally {
    await close()
  }
}

async function run(deps: CollectionJobDeps, config: Config, dryRun: boolean): Promise<number> {
  const outcome = await withCollectionLock(deps, async (inner) => {
    const found = dryRun ? 0 : await takeStock(inner)
    return { found, collected: await collect(inner, { dryRun }) }
  })
  if (outcome === undefined) {
    complain('Nothing was done: another process is collecting at this moment.')
    return 1
  }
  for (const line of describe(config, outcome.found, outcome.collected, dryRun)) say(line)
  return 0
}

function describe({ storageDir, s3 }: Config, found: number, collected: Collected, dryRun: boolean): string[] {
  const { examined, deleted, bytes, leftovers } = collected
  const place = s3 === undefined ? storageDir : `${s3.bucket}/${s3.prefix}`
  const what = `${count(deleted, 'file')} of ${examined} that were stored more than a day ago`
  const lines = [`${place}: ${what} ${dryRun ? 'would be' : 'were'} deleted, ${bytes} bytes.`]
  if (leftovers > 0) lines.push(`${count(leftovers, 'half-written file')} of killed processes were removed.`)
  if (found > 0) lines.push(`${count(found, 'file')} of unknown origin can be collected in a day.`)
  return lines
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}
