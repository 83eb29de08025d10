import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { readClientVariables } from '../../../config/client-variables.ts'
import { CommandError } from '../../command-line/command-error.ts'

/** A service and the API key for it. */
export interface Profile {
  /** Scheme, host and port of the service. The key is sent to no other origin. */
  url: string
  apiKey: string
  keyId: string
}

type Profiles = Record<string, Profile>

/** Time to wait for the lock. Changing the file takes milliseconds, so a lock that stays was left by a killed command. */
const LOCK_WITHIN_MS = 5_000

/** Returns the file of the profiles: in `$XDG_CONFIG_HOME`, else in `~/.config`. */
export function profilesFile(): string {
  const { configHome: base } = readClientVariables()
  // The XDG specification ignores relative paths.
  return join(base?.startsWith('/') === true ? base : join(homedir(), '.config'), 'platen', 'profiles.json')
}

export async function findProfile(name: string): Promise<Profile | undefined> {
  return profileIn(await readProfiles(), name)
}

const profileIn = (profiles: Profiles, name: string) => (Object.hasOwn(profiles, name) ? profiles[name] : undefined)

/** Stores a profile. Returns the profile that it replaces. */
export async function storeProfile(name: string, { url, apiKey, keyId }: Profile): Promise<Profile | undefined> {
  const former = await changeProfiles((profiles) => ({ ...profiles, [name]: { url, apiKey, keyId } }))
  return profileIn(former, name)
}

export async function removeProfile(name: string): Promise<void> {
  await changeProfiles(({ [name]: _removed, ...rest }) => rest)
}

/**
 * Changes the profiles while no other command does, because a key that another command writes over stays valid.
 * Returns the profiles before the change.
 */
async function changeProfiles(change: (profiles: Profiles) => Profiles): Promise<Profiles> {
  const file = profilesFile()
  await makeFolder(file)
  const lock = `${file}.lock`
  await acquire(lock)
  try {
    const profiles = await readProfiles()
    await writeProfiles(file, change(profiles))
    return profiles
  } finally {
    await rm(lock, { force: true })
  }
}

async function acquire(lock: string): Promise<void> {
  const startMs = performance.now()
  for (;;) {
    try {
      await writeFile(lock, '', { mode: 0o600, flag: 'wx' })
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw writeError(lock, error)
      if (performance.now() - startMs > LOCK_WITHIN_MS) {
        throw new CommandError(
          `Could not change the profiles: ${lock} exists. If no other "platen login" or "platen logout" is running, remove it.`,
        )
      }
    }
    await delay(20 + Math.random() * 30)
  }
}

async function readProfiles(): Promise<Profiles> {
  const file = profilesFile()
  let text: string
  try {
    text = await readFile(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new CommandError(`Could not read ${file}: ${(error as Error).message}.`)
  }
  const profiles = parse(text)
  if (profiles !== undefined) return profiles
  throw new CommandError(`${file} does not contain profiles. Correct the file, or remove it and run "platen login".`)
}

function parse(text: string): Profiles | undefined {
  try {
    const value = JSON.parse(text) as unknown
    return isRecord(value) && Object.values(value).every(isProfile) ? (value as Profiles) : undefined
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

function isProfile(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { url, apiKey, keyId } = value
  return [url, apiKey, keyId].every((member) => typeof member === 'string') && URL.canParse(String(url))
}

async function makeFolder(file: string): Promise<void> {
  try {
    await mkdir(dirname(file), { recursive: true, mode: 0o700 })
    // `mkdir` leaves the mode of a folder that exists.
    await chmod(dirname(file), 0o700)
  } catch (error) {
    throw writeError(file, error)
  }
}

/** Writes all profiles at once, so that a reader never finds half a file and other accounts never read a key. */
async function writeProfiles(file: string, profiles: Profiles): Promise<void> {
  const temporary = `${file}.${randomUUID()}`
  try {
    await writeFile(temporary, `${JSON.stringify(profiles, null, 2)}\n`, { mode: 0o600, flag: 'wx', flush: true })
    await rename(temporary, file)
  } catch (error) {
    await rm(temporary, { force: true })
    throw writeError(file, error)
  }
}

function writeError(file: string, error: unknown): CommandError {
  return new CommandError(`Could not write ${file}: ${(error as Error).message}.`)
}
