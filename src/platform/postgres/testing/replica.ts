import { appendFile, chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { ensureCluster, SUPERUSER } from '../cluster.ts'
import { startPostmaster, stopServer } from '../postmaster.ts'
import { findBackends, signal } from '../programs/processes.ts'
import { clusterFolder, prepareSite, releaseSite, type Site, SOCKET_PORT } from '../site.ts'
import type { EmbeddedPoolConfig } from '../supervisor.ts'
import type { TemporaryPostgres } from './temporary.ts'

/** As many as the primary has, which PostgreSQL requires. */
const CONNECTIONS = 300

export interface TestReplica {
  /** How to connect to it; the database is that of the primary. */
  poolConfig: EmbeddedPoolConfig
  /** Runs a statement on the replica as its superuser. */
  run(statement: string): Promise<void>
  /** Stops all its processes, so that it accepts connections and does not respond. */
  freeze(): Promise<void>
  unfreeze(): Promise<void>
  stop(): Promise<void>
}

/** Starts a read replica of a temporary server, with streaming replication. */
export async function startReplica(primary: TemporaryPostgres): Promise<TestReplica> {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-test-'))
  await chmod(dataDir, 0o711)
  await copyCluster(primary, dataDir)
  const site = await prepareSite({ dataDir, maxConnections: CONNECTIONS, unsafeForTests: true })
  // Gives the copied files to the user that runs PostgreSQL.
  await ensureCluster(site.cluster, site.binaries, site.launch, { sync: false })
  const postmaster = await startPostmaster(site)
  const stop = async () => {
    await stopServer(postmaster.pid)
    await releaseSite(site)
    await rm(dataDir, { recursive: true, force: true })
  }
  const signalAll = async (name: NodeJS.Signals) => {
    for (const pid of [postmaster.pid, ...(await findBackends(site.clusterName))]) signal(pid, name)
  }
  await untilItAnswers(site)
  return {
    poolConfig: { ...primary.poolConfig, host: site.socketFolder },
    run: (statement) => runAsSuperuser(site.socketFolder, statement),
    freeze: () => signalAll('SIGSTOP'),
    unfreeze: () => signalAll('SIGCONT'),
    stop,
  }
}

/** Copies the files of a running server, and lets the copy follow it. */
async function copyCluster({ dataDir, poolConfig }: TemporaryPostgres, target: string): Promise<void> {
  const [from, to] = [clusterFolder(dataDir), clusterFolder(target)]
  await appendFile(join(from, 'pg_hba.conf'), 'local replication all trust\n')
  const client = superuserAt(poolConfig.host)
  await client.connect()
  try {
    await client.query('select pg_reload_conf()')
    await client.query("select pg_backup_start('copy', true)")
    // The server changes and removes files in the meantime.
    await cp(from, to, { recursive: true, filter: (path) => !/\/(pg_wal|pg_replslot)\/.|\.pid$|\.s\.PGSQL/.test(path) })
    const { rows } = await client.query<{ labelfile: string }>('select labelfile from pg_backup_stop()')
    await writeFile(join(to, 'backup_label'), rows[0]?.labelfile ?? '')
  } finally {
    await client.end()
  }
  await mkdir(join(to, 'pg_wal/archive_status'), { recursive: true })
  await writeFile(join(to, 'standby.signal'), '')
  const conninfo = `host=${poolConfig.host} port=${SOCKET_PORT} user=${SUPERUSER}`
  const settings = await readFile(join(to, 'postgresql.auto.conf'), 'utf8')
  await writeFile(join(to, 'postgresql.auto.conf'), `${settings}primary_conninfo = '${conninfo}'\n`)
}

const superuserAt = (host: string): pg.Client =>
  new pg.Client({ host, port: SOCKET_PORT, user: SUPERUSER, database: 'postgres' })

async function runAsSuperuser(host: string, statement: string): Promise<void> {
  const client = superuserAt(host)
  try {
    await client.connect()
    await client.query(statement)
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function untilItAnswers({ socketFolder, serverLog }: Site): Promise<void> {
  for (let triesLeft = 600; ; triesLeft -= 1) {
    try {
      await runAsSuperuser(socketFolder, 'select 1')
      return
    } catch (error) {
      if (triesLeft === 0)
        throw new Error(`the replica does not answer:\n${await serverLog.readSince(0)}`, { cause: error })
      await delay(50)
    }
  }
}
