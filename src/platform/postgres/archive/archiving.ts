import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { isInside } from '../../file-system/real-path.ts'
import { EmbeddedPostgresError } from '../programs/errors.ts'
import { type Launch, outcomeOf, spawnAs } from '../programs/launch.ts'
import { closeLog, findLog, type LogFolder, openLog, readOwnLog } from './log-folder.ts'

type Settings = Readonly<Record<string, string>>

const PROGRAM = fileURLToPath(new URL('./archive-program.ts', import.meta.url))

/** How long a change waits at most until its segment ends and is archived. */
const ARCHIVE_WITHIN_SECONDS = 60
const ARCHIVE_WITHIN_SECONDS_IN_TESTS = 1

/** Off explicitly, because a cluster may have settings of its own. */
const OFF: Settings = { archive_mode: 'off' }

/** The server keeps its segments until the service archives them. */
const KEEPING: Settings = { archive_mode: 'on', archive_command: '' }

interface Place {
  dataDir: string
  cluster: string
  launch: Launch
  unsafeForTests: boolean
  /** Whether the server is for a command. It continues a log, but neither begins nor ends one. */
  isForCommand: boolean
}

/**
 * Returns a function that prepares the archive and returns the settings with which a server writes to it. Call the
 * function when no server runs on the data folder. The archive is only checked once: without it, a server that was
 * started again after a crash still serves, and keeps what it cannot archive.
 *
 * @throws EmbeddedPostgresError `archive_unusable`
 */
export function createArchiving(archive: string | undefined, place: Place): () => Promise<Settings> {
  let settings: Settings | undefined
  return async () => {
    settings ??= await prepare(archive, place)
    return settings
  }
}

async function prepare(archive: string | undefined, place: Place): Promise<Settings> {
  if (place.isForCommand) {
    if ((await readOwnLog(place)) === undefined) return OFF
    if (archive === undefined || (await findLog(archive, place)) === undefined) return KEEPING
  }
  if (archive === undefined) {
    await closeLog(place.dataDir)
    return OFF
  }
  const log = await openOutside(archive, place).catch((error: Error) => {
    throw unusable(archive, error.message)
  })
  await requireWritable(archive, log, place.launch)
  return {
    archive_mode: 'on',
    archive_timeout: `${place.unsafeForTests ? ARCHIVE_WITHIN_SECONDS_IN_TESTS : ARCHIVE_WITHIN_SECONDS}s`,
    archive_command: commandLine('put', log.segments, '%p', '%f'),
  }
}

/** Opens the log, unless a symbolic link leads into the data folder. */
async function openOutside(archive: string, place: Place): Promise<LogFolder> {
  if (!(await isInside(archive, place.dataDir))) return openLog(archive, place)
  throw new Error(`it leads into ${place.dataDir}, whose loss it must survive`)
}

/** Has the user that runs PostgreSQL write to the archive, who may be another one than that of this process. */
async function requireWritable(archive: string, { segments }: LogFolder, launch: Launch): Promise<void> {
  const child = spawnAs(launch, process.execPath, [PROGRAM, 'try', segments], { stdio: ['ignore', 'ignore', 'pipe'] })
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const ended = await outcomeOf(child)
  if (ended === 0) return
  const { owner } = launch
  const user = owner === undefined ? '' : ` by user ${owner.uid}, who runs PostgreSQL and must pass through ${archive}`
  throw unusable(archive, `${segments} cannot be written${user}: ${output.trim() || ended}`)
}

function unusable(archive: string, reason: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'archive_unusable',
    `The folder ${archive} of PLATEN_WAL_ARCHIVE cannot be used: ${reason}. Correct that, or set PLATEN_WAL_ARCHIVE to ` +
      'another folder.',
  )
}

/** Returns the settings with which a server reads segments from a folder of its cluster. */
export function restoreCommand(folder: string): string {
  return commandLine('get', folder, '%f', '%p')
}

/** Returns a command for the shell in which PostgreSQL replaces the placeholders `%p` and `%f`. */
function commandLine(
  action: 'put' | 'get',
  folder: string,
  ...placeholders: readonly ['%p' | '%f', '%p' | '%f']
): string {
  const words = [process.execPath, PROGRAM, action, folder].map(quote)
  return ['exec', ...words, ...placeholders.map((placeholder) => `"${placeholder}"`)].join(' ')
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`).replaceAll('%', '%%')}'`
}
