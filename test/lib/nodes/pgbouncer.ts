import { execFileSync, spawn } from 'node:child_process'
import { chmod, chown, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import type { PoolConfig } from 'pg'
import { freePort } from '../../../scripts/lib/service-process.ts'
import { temporaryDir } from '../../harness.ts'
import { until } from '../until.ts'
import { isListening } from './is-listening.ts'

/** The first version that keeps prepared statements in transaction mode. */
const KEEPS_STATEMENTS = [1, 21]

/** The version of the installed PgBouncer. Undefined if there is none. */
export const pgBouncer: { keepsStatements: boolean } | undefined = findPgBouncer()

function findPgBouncer(): { keepsStatements: boolean } | undefined {
  try {
    const [, major = '0', minor = '0'] = /PgBouncer (\d+)\.(\d+)/.exec(String(execFileSync('pgbouncer', ['-V']))) ?? []
    const [wantedMajor = 0, wantedMinor = 0] = KEEPS_STATEMENTS
    const isNew = Number(major) > wantedMajor || (Number(major) === wantedMajor && Number(minor) >= wantedMinor)
    return { keepsStatements: isNew }
  } catch {
    return undefined
  }
}

/**
 * Starts the installed PgBouncer in transaction mode, with its defaults otherwise.
 *
 * @param size number of connections to the server
 * @returns the settings for connections through it
 */
export async function startPgBouncer(t: TestContext, database: PoolConfig, size: number): Promise<PoolConfig> {
  const { host = '', port: serverPort = 5432, user, database: name } = database
  const port = await freePort()
  const folder = await temporaryDir(t)
  const settings = join(folder, 'pgbouncer.ini')
  await writeFile(
    settings,
    `[databases]
${name} = host=${host} port=${serverPort} user=${user}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = any
pool_mode = transaction
default_pool_size = ${size}
${pgBouncer?.keepsStatements === true ? 'max_prepared_statements = 200' : ''}
`,
  )
  // PgBouncer refuses to run as root, and only the user of PostgreSQL reaches its socket.
  const owner = await stat(join(host, `.s.PGSQL.${serverPort}`))
  await chmod(folder, 0o755)
  if (process.getuid?.() === 0) await chown(settings, owner.uid, owner.gid)
  const child = spawn('pgbouncer', [settings], {
    stdio: 'ignore',
    ...(process.getuid?.() === 0 ? { uid: owner.uid, gid: owner.gid } : {}),
  })
  t.after(() => child.kill('SIGKILL'))
  await until('PgBouncer to listen', () => isListening(port))
  return { host: '127.0.0.1', port, user: String(user), database: String(name), ssl: false }
}
