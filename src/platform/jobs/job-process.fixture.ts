// A process that runs jobs, which tests kill or freeze. It reports its progress over IPC, and each job waits for the
// message `end`. Usage: node job-process.fixture.ts <pool settings as JSON> <heartbeat timing as JSON> <job name>...
import process from 'node:process'
import { openDatabase } from '../db/index.ts'
import { createLog } from '../telemetry/log.ts'
import { startJobRunner } from './jobs.ts'

const [poolConfig = '', timing = '', ...names] = process.argv.slice(2)

function tell(event: object): void {
  process.send?.(event)
}

const destination = { write: (line: string) => tell({ event: 'log', line }) } as unknown as NodeJS.WritableStream
const log = createLog({ level: 'warn', destination })
const database = openDatabase(JSON.parse(poolConfig), log)
const jobs = names.map((name) => ({
  name,
  handle: async () => {
    const ended = new Promise((resolve) => process.once('message', resolve))
    tell({ event: 'began', name })
    await ended
  },
}))
startJobRunner(database, jobs, log, JSON.parse(timing))
