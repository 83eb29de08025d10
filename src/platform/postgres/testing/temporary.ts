import { spawn } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { SupervisorLog } from '../bring-up.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../supervisor.ts'

export type TemporaryPostgres = EmbeddedPostgres & Readonly<{ dataDir: string }>

const SILENT: SupervisorLog = { info: () => undefined, warn: () => undefined, error: () => undefined }

/**
 * Starts a PostgreSQL server for tests in a temporary folder, which `stop` removes. The server does not flush to disk
 * (`fsync=off`), and its role may create databases. If this process is killed, the server also stops and its folder is
 * removed.
 */
export async function startTemporaryPostgres(options: { log?: SupervisorLog } = {}): Promise<TemporaryPostgres> {
  const dataDir = await mkdtemp(join(tmpdir(), 'platen-test-'))
  // If this process runs as root, PostgreSQL runs as another user, which must pass through this folder.
  await chmod(dataDir, 0o711)
  const server = await startEmbeddedPostgres({ dataDir, log: options.log ?? SILENT, unsafeForTests: true })
  const watchdog = startWatchdog(dataDir)
  return {
    ...server,
    dataDir,
    stop: async () => {
      await server.stop()
      watchdog.kill()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

// A script whose standard input ends when this process ends, even if it is killed. The script then stops the server and
// removes the folder.
const WATCHDOG = `
cat > /dev/null
read -r pid < "$1/postgres/postmaster.pid" && kill -QUIT "$pid"
while kill -0 "$pid" 2> /dev/null; do sleep 0.1; done
rm -rf "$1"
`

function startWatchdog(dataDir: string) {
  const watchdog = spawn('/bin/sh', ['-c', WATCHDOG, 'sh', dataDir], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
    cwd: '/',
    env: { PATH: '/usr/bin:/bin' },
  })
  watchdog.unref()
  return watchdog
}
