import { createHash } from 'node:crypto'
import { lutimes, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { createArchiving } from './archive/archiving.ts'
import { type Binaries, findBinaries, prepareLibraries } from './programs/binaries.ts'
import { chooseLaunch, type Launch } from './programs/launch.ts'
import { createServerLog, type ServerLog } from './server-log.ts'

/** The properties of a data folder that stay the same when PostgreSQL is restarted on it. */
export type Site = Readonly<{
  dataDir: string
  /**
   * The folder of PostgreSQL, which contains its socket. Only this part of the data folder may belong to another user.
   */
  cluster: string
  /** The name that processes of the server show to the system. */
  clusterName: string
  /** The folder to connect in: that of the cluster, or a short link to it. */
  socketFolder: string
  binaries: Binaries
  launch: Launch
  serverLog: ServerLog
  /** The most connections of the server, including those of its superuser. */
  maxConnections: number
  /** Whether the server may lose data in a crash of the computer, which makes tests faster. */
  unsafeForTests: boolean
  /** Returns the settings that depend on what the server is for: those of its archive, or of a recovery. */
  purposeSettings: () => Promise<Readonly<Record<string, string>>>
}>

// The system limits the path of a Unix socket to 108 bytes on Linux and 104 bytes on macOS, including the final NUL.
const SOCKET_PATH_BYTES = 103
export const SOCKET_PORT = 5432

/** Returns the folder of the database cluster in a data folder. */
export function clusterFolder(dataDir: string): string {
  return join(dataDir, 'postgres')
}

/**
 * Prepares a data folder: creates the folder if necessary, and determines the programs, user and socket path for
 * PostgreSQL.
 *
 * @throws EmbeddedPostgresError `unsupported_platform`, `not_accessible`
 */
export async function prepareSite(options: {
  dataDir: string
  walArchive?: string | undefined
  isForCommand?: boolean
  binaries?: Binaries | undefined
  maxConnections: number
  unsafeForTests: boolean
}): Promise<Site> {
  const { unsafeForTests, isForCommand = false } = options
  await makeDataDir(options.dataDir)
  const dataDir = await realpath(options.dataDir)
  const cluster = clusterFolder(dataDir)
  const binaries = options.binaries ?? (await findBinaries())
  const env = await prepareLibraries(binaries, join(dataDir, 'postgres-libraries'))
  const launch = await chooseLaunch(dataDir, cluster, binaries, env)
  return {
    dataDir,
    cluster,
    clusterName: `platen-${createHash('sha256').update(cluster).digest('hex').slice(0, 12)}`,
    socketFolder: await shortPathTo(cluster),
    binaries,
    launch,
    serverLog: createServerLog(join(dataDir, 'postgres.log')),
    maxConnections: options.maxConnections,
    unsafeForTests,
    purposeSettings: createArchiving(options.walArchive, { dataDir, cluster, launch, unsafeForTests, isForCommand }),
  }
}

async function makeDataDir(path: string): Promise<void> {
  // If this process runs as root, PostgreSQL runs as another user, which must pass through the folder but not list it.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  await mkdir(path, { recursive: true, mode })
}

/**
 * Returns a path to the cluster that is short enough for a Unix socket. The socket is in the folder of the cluster,
 * which only its owner and root can enter. PostgreSQL uses this folder as its working directory and refers to it as
 * `.`. This process cannot, so a long path gets a link in a new temporary folder, which no other user could have
 * created in advance.
 */
async function shortPathTo(cluster: string): Promise<string> {
  if (Buffer.byteLength(`${cluster}/.s.PGSQL.${SOCKET_PORT}`) <= SOCKET_PATH_BYTES) return cluster
  const link = join(await mkdtemp(join(tmpdir(), 'platen-')), 'db')
  await symlink(cluster, link)
  return link
}

/** The part of a site that is needed to reach a server that another process runs on the folder. */
export type Reach = Pick<Site, 'dataDir' | 'cluster' | 'socketFolder'>

/** Returns how to reach the server on an existing data folder. The caller releases the result with `releaseSite`. */
export async function findReach(path: string): Promise<Reach> {
  const dataDir = await realpath(path)
  const cluster = clusterFolder(dataDir)
  return { dataDir, cluster, socketFolder: await shortPathTo(cluster) }
}

export async function releaseSite({ cluster, socketFolder }: Reach): Promise<void> {
  if (socketFolder !== cluster) await rm(join(socketFolder, '..'), { recursive: true, force: true })
}

/**
 * Refreshes the timestamp of the link, so that cleaners of the temporary folder do not delete it, and limits the size
 * of the log. Call this function from time to time.
 */
export async function maintainSite({ cluster, socketFolder, serverLog }: Site): Promise<void> {
  const now = new Date()
  if (socketFolder !== cluster) await lutimes(socketFolder, now, now)
  await serverLog.keepSmall()
}
