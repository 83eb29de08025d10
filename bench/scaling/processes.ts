import { availableParallelism } from 'node:os'
import { type ServiceProcess, startServiceProcess } from '../../scripts/lib/service-process.ts'
import { compare, type Side } from '../generator/compare.ts'
import { generate } from '../generator/generator.ts'
import { proportionalMegabytesOfAll } from '../lib/processes.ts'
import type { Subject } from '../lib/subject.ts'

const COUNTS = [2, 4]
const CONNECTIONS = 64
const SECONDS = 3

/** Below this, another process costs more than it serves. */
const WORTH = 1.1

/** Compares a service with several API processes with one that has a single process, in authenticated reads of a design. */
export async function benchProcesses(subject: Subject): Promise<void> {
  const single = subject.service
  for (const count of COUNTS) {
    const several = await startServiceProcess(settingsOf(subject, count))
    try {
      await compare({
        figure: `read a design from ${count} processes instead of 1`,
        unit: `requests/s at ${CONNECTIONS} connections`,
        // By default there are as many processes as processors. More are measured only for the table of capacities.
        aim: count <= availableParallelism() ? WORTH : 0,
        ours: sideOf(several, subject),
        limit: sideOf(single, subject),
        postgresPid: subject.postgresPid,
      })
      const megabytes = await Promise.all(
        [several, single].map(({ child }) => proportionalMegabytesOfAll(child.pid ?? 0)),
      )
      console.log(JSON.stringify({ processes: count, megabytes: megabytes[0], megabytesOfOne: megabytes[1] }))
    } finally {
      await several.stop()
    }
  }
}

function settingsOf({ service, connectionString, dataDir }: Subject, count: number): Record<string, string> {
  return {
    PLATEN_PROCESSES: String(count),
    // The issuer of the access token.
    PLATEN_PUBLIC_URL: service.origin,
    PLATEN_DATA_DIR: dataDir,
    PLATEN_DATABASE_URL: connectionString,
    PLATEN_RATE_LIMITS: 'off',
    PLATEN_PAYMENT_PROVIDER: 'test',
  }
}

function sideOf({ origin, child }: ServiceProcess, { designId, token }: Subject): Side {
  const url = `${origin}/v1/designs/${designId}`
  const headers = { authorization: `Bearer ${token}` }
  return { pid: child.pid, run: () => generate({ url, connections: CONNECTIONS, seconds: SECONDS, headers }) }
}
