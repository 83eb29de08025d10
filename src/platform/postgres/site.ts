import { createHash } from 'node:crypto'
import { lutimes, mkdir, mkdtemp, realpath, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import process from 'node:process'
import { type Binaries, findBinaries, prepareLibraries } from './programs/binaries.ts'
import { chooseLaunch, type Launch } from './programs/launch.ts'
import { createServerLog, type ServerLog } from './server-log.ts'

/** Everything about one data folder that stays the same while PostgreSQL is started and started again on it. */
export type Site = Readonly<{
  dataDir: string
  /** PostgreSQL's own folder, the one thing in the data folder that may belong to another user. Its socket is in it. */
  cluster: string
  /** The name that the server's processes show the system. */
  clusterName: string
  /** The folder to connect in: the cluster's, or a short link to it. */
  socketFolder: string
  binaries: Binaries
  launch: Launch
  serverLog: ServerLog
  /** Connections that the server takes, those of its superuser among them. */
  maxConnections: number
  /** Gives up the safety of the data for speed. */
  unsafeForTests: boolean
}>

// The system's limit for the path of a Unix socket is 108 bytes on Linux and 104 on macOS, the closing NUL included.
const SOCKET_PATH_BYTES = 103
export const SOCKET_PORT = 5432

/** The folder with the databases of the server on a data folder. */
export function clusterFolder(dataDir: string): string {
  return join(dataDir, 'postgres')
}

/**
 * Prepares a data folder: makes it if need be, and finds out with which programs, as whom and over which path PostgreSQL
 * is run on it.
 * @throws EmbeddedPostgresError `unsupported_platform`, `not_accessible`
 */
export async function prepareSite(options: {
  dataDir: string
  binaries?: Binaries | undefined
  maxConnections: number
  unsafeForTests: boolean
}): Promise<Site> {
  await makeDataDir(options.dataDir)
  const dataDir = await realpath(options.dataDir)
  const cluster = clusterFolder(dataDir)
  const binaries = options.binaries ?? (await findBinaries())
  const env = await prepareLibraries(binaries, join(dataDir, 'postgres-libraries'))
  return {
    dataDir,
    cluster,
    clusterName: `platen-${createHash('sha256').update(cluster).digest('hex').slice(0, 12)}`,
    socketFolder: await shortPathTo(cluster),
    binaries,
    launch: await chooseLaunch(dataDir, cluster, binaries, env),
    serverLog: createServerLog(join(dataDir, 'postgres.log')),
    maxConnections: options.maxConnections,
    unsafeForTests: options.unsafeForTests,
  }
}

async function makeDataDir(path: string): Promise<void> {
  // Root's PostgreSQL runs as another user, who has to pass through but not to look around.
  const mode = process.getuid?.() === 0 ? 0o711 : 0o700
  await mkdir(path, { recursive: true, mode })
}

/**
 * The socket lies in the cluster's folder, which only its owner and root can enter and which PostgreSQL, whose working
 * directory it is, names `.` however deep it lies. We cannot do the same, so for a folder whose path is too long for a
 * socket a link to it is made, in a folder of ours that nobody else could have made before.
 */
async function shortPathTo(cluster: string): Promise<string> {
  if (Buffer.byteLength(`${cluster}/.s.PGSQL.${SOCKET_PORT}`) <= SOCKET_PATH_BYTES) return cluster
  const link = join(await mkdtemp(join(tmpdir(), 'platen-')), 'db')
  await symlink(cluster, link)
  return link
}

/** The part of a site that it takes to reach a server that somebody else runs on the folder. */
export type Reach = Pick<Site, 'dataDir' | 'cluster' | 'socketFolder'>

/** How to reach the server on a data folder that exists. To be given back with `releaseSite`. */
export async function findReach(path: string): Promise<Reach> {
  const dataDir = await realpath(path)
  const cluster = clusterFolder(dataDir)
  return { dataDir, cluster, socketFolder: await shortPathTo(cluster) }
}

export async function releaseSite({ cluster, socketFolder }: Reach): Promise<void> {
  if (socketFolder !== cluster) await rm(join(socketFolder, '..'), { recursive: true, force: true })
}

/** To be called from time to time: keeps the link from cleaners of the temporary folder, and the log from growing. */
export async function maintainSite({ cluster, socketFolder, serverLog }: Site): Promise<void> {
  const now = new Date()
  if (socketFolder !== cluster) await lutimes(socketFolder, now, now)
  await serverLog.keepSmall()
}
