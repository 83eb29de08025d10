import { type ChildProcess, execFile, type SpawnOptions, spawn } from 'node:child_process'
import { stat } from 'node:fs/promises'
import process from 'node:process'
import { promisify } from 'node:util'
import type { Binaries, ProgramEnvironment } from './binaries.ts'
import { EmbeddedPostgresError, hasErrorCode } from './errors.ts'

const run = promisify(execFile)

export type Owner = Readonly<{ uid: number; gid: number }>

/** How PostgreSQL programs are started: the user, an optional capability and the environment. */
export type Launch = Readonly<{
  /** The user that runs the programs. Undefined for the current user. */
  owner: Owner | undefined
  /**
   * A Linux capability that the programs keep after the change of user. Needed if that user cannot reach the folders
   * otherwise.
   */
  capability: string | undefined
  env: ProgramEnvironment
}>

// In order of preference. If the user `platen` exists, it is preferred, because other services may also run as
// `nobody`.
const UNPRIVILEGED_USERS = ['platen', 'nobody']

// Lists capabilities in order of increasing power: none, reading and passing through all folders, and also writing to
// them.
const CAPABILITIES = [undefined, 'dac_read_search', 'dac_override']

/**
 * Decides how PostgreSQL programs are started on a data folder.
 *
 * PostgreSQL refuses to run as root, so a service that runs as root starts it as another user: the owner of the
 * database folder, otherwise the owner of the data folder, otherwise an unprivileged user. That user often cannot pass
 * through parent folders, such as a home directory. Only an attempt shows this. In that case, the programs get the
 * least capability that is enough. PostgreSQL accepts this, because it checks only the user id.
 *
 * @throws EmbeddedPostgresError `not_accessible`
 */
export async function chooseLaunch(
  dataDir: string,
  cluster: string,
  binaries: Binaries,
  env: ProgramEnvironment,
): Promise<Launch> {
  const ownUid = process.getuid?.()
  if (ownUid !== 0) {
    await requireOwnCluster(cluster, ownUid)
    return { owner: undefined, capability: undefined, env }
  }
  const owner = await chooseOwner(dataDir, cluster)
  const failures: string[] = []
  for (const capability of CAPABILITIES) {
    const launch = { owner, capability, env }
    const failure = await tryReaching(launch, dataDir, binaries)
    if (failure === undefined) return launch
    failures.push(failure)
  }
  throw new EmbeddedPostgresError(
    'not_accessible',
    `PostgreSQL does not run as root, so Platen starts it as user ${owner.uid}. That user cannot reach both the data ` +
      `folder ${dataDir} and the programs in ${binaries.root}, and starting it with setpriv (of util-linux) did not ` +
      `help. Run Platen as a user other than root, or set PLATEN_DATA_DIR to a folder that every user can reach, such as ` +
      `/var/lib/platen.\n${failures.join('\n')}`,
  )
}

async function requireOwnCluster(cluster: string, ownUid: number | undefined): Promise<void> {
  const owner = await ownerOf(cluster)
  if (owner === undefined || ownUid === undefined || owner.uid === ownUid) return
  throw new EmbeddedPostgresError(
    'not_accessible',
    `The database folder ${cluster} belongs to user ${owner.uid} and Platen runs as user ${ownUid}: it was started as ` +
      `root, or as another user, before. Start it as that user again, or hand the folder over while Platen is stopped: ` +
      `sudo chown -R ${ownUid} ${cluster}`,
  )
}

async function chooseOwner(dataDir: string, cluster: string): Promise<Owner> {
  const clusterOwner = await ownerOf(cluster)
  if (clusterOwner !== undefined && clusterOwner.uid !== 0) return clusterOwner
  const dataDirOwner = await ownerOf(dataDir)
  if (dataDirOwner !== undefined && dataDirOwner.uid !== 0) {
    // initdb needs the name of its user, but the owner of a mounted folder may have no name on this computer.
    const named = await lookUpUser(String(dataDirOwner.uid))
    if (named !== undefined) return named
  }
  for (const name of UNPRIVILEGED_USERS) {
    const user = await lookUpUser(name)
    if (user !== undefined && user.uid !== 0) return user
  }
  throw new EmbeddedPostgresError(
    'not_accessible',
    'PostgreSQL does not run as root, and this computer has no unprivileged user to run it as (looked for ' +
      `${UNPRIVILEGED_USERS.join(', ')}). Run Platen as a user other than root.`,
  )
}

async function ownerOf(path: string): Promise<Owner | undefined> {
  try {
    const { uid, gid } = await stat(path)
    return { uid, gid }
  } catch (error) {
    if (hasErrorCode(error, 'ENOENT')) return undefined
    throw error
  }
}

/** Looks up a user with the `id` command, because the user database of the system can include more than /etc/passwd. */
async function lookUpUser(nameOrUid: string): Promise<Owner | undefined> {
  try {
    const [uid, gid] = await Promise.all([run('id', ['-u', nameOrUid]), run('id', ['-g', nameOrUid])])
    return { uid: Number(uid.stdout), gid: Number(gid.stdout) }
  } catch {
    return undefined
  }
}

/**
 * Starts initdb as `launch` specifies, to find out whether it can enter the data folder and find its files. Returns the
 * error, or undefined on success.
 */
async function tryReaching(launch: Launch, dataDir: string, binaries: Binaries): Promise<string | undefined> {
  // Uses `--show`, which changes nothing. `--version` would not be enough, because it does not search for the other
  // programs.
  const look = [binaries.initdb, '--show', '-D', dataDir]
  const child = spawnAs(launch, '/bin/sh', ['-c', 'cd "$1" && shift && exec "$@"', 'sh', dataDir, ...look], {
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output += text
  })
  const ended = await outcomeOf(child)
  // Treats this message as success: initdb has found its files. A user without a name can run a server and only cannot
  // create a cluster.
  if (output.includes('could not look up effective user ID')) return undefined
  return ended === 0 ? undefined : `${describeLaunch(launch)}: ${output.trim() || ended}`
}

function describeLaunch({ owner, capability }: Launch): string {
  return `user ${owner?.uid ?? 'as is'}${capability === undefined ? '' : ` with ${capability}`}`
}

/**
 * Starts a program as `launch` specifies. The working directory is `/`, because that user may have no access to the
 * current one.
 */
export function spawnAs(
  { owner, capability, env }: Launch,
  program: string,
  args: readonly string[],
  options: Pick<SpawnOptions, 'stdio' | 'detached'>,
): ChildProcess {
  if (owner === undefined) return spawn(program, args, { ...options, env, cwd: '/' })
  if (capability === undefined) return spawn(program, args, { ...options, ...owner, env, cwd: '/' })
  const change = [`--reuid=${owner.uid}`, `--regid=${owner.gid}`, '--clear-groups']
  // Without `no_setuid_fixup`, access(2) would ignore the capability. The programs use this call to find each other.
  const keep = [`--inh-caps=+${capability}`, `--ambient-caps=+${capability}`, '--securebits=+no_setuid_fixup']
  return spawn('setpriv', [...change, ...keep, program, ...args], { ...options, env, cwd: '/' })
}

/** Waits until a program ends. Returns its exit status, or the reason why it has none. */
export async function outcomeOf(child: ChildProcess): Promise<number | string> {
  return new Promise((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (status, signal) => resolve(status ?? `ended by ${signal}`))
  })
}
