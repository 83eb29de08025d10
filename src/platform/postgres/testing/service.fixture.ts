// A service that tests kill. It starts PostgreSQL on the given folder, writes events to its standard output as one JSON
// object per line, and stops on SIGTERM. Usage: node service.fixture.ts <data folder> [<package folder of the
// programs>]
import process from 'node:process'
import { type SupervisorLog, startEmbeddedPostgres } from '../index.ts'
import { describeBinaries } from '../programs/binaries.ts'

const [dataDir = '', packageFolder] = process.argv.slice(2)

function tell(event: object): void {
  process.stdout.write(`${JSON.stringify(event)}\n`)
}

function logTo(level: string) {
  return (...args: unknown[]) => tell({ event: level, args })
}

const log: SupervisorLog = { info: logTo('info'), warn: logTo('warn'), error: logTo('error') }

try {
  const other = packageFolder === undefined ? {} : { binaries: await describeBinaries(packageFolder) }
  const server = await startEmbeddedPostgres({ dataDir, log, unsafeForTests: true, ...other })
  tell({ event: 'up', pid: server.pid(), isNew: server.isNew, uid: process.getuid?.() })
  server.lost.then((error) => tell({ event: 'lost', message: error.message }))
  process.once('SIGTERM', () => server.stop().then(() => process.exit(0)))
  setInterval(() => undefined, 60_000)
} catch (error) {
  tell({ event: 'failed', message: error instanceof Error ? error.message : String(error) })
  process.exitCode = 1
}
