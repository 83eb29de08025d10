import { join } from 'node:path'
import { freePort } from '../../scripts/lib/service-process.ts'
import { startScript } from './child.ts'
import { load, median } from './load.ts'
import { report } from './report.ts'

const ROUNDS = 5
const CONNECTIONS = 32
const SECONDS = 4

export interface BareRead {
  figure: string
  url: string
  token: string
  connectionString: string
  /** A statement that reads the same rows. `$1` selects them. */
  statement: string
  value: string
}

/** Compares authenticated reads of the service with reads from a minimal server that reads the same rows. */
export async function againstBareRead(read: BareRead): Promise<void> {
  const port = await freePort()
  const stop = await startScript(join(import.meta.dirname, 'bare-read.ts'), [
    read.connectionString,
    String(port),
    read.statement,
    read.value,
  ])
  const bare = () => load(`http://127.0.0.1:${port}/`, { connections: CONNECTIONS, seconds: SECONDS })
  const headers = { authorization: `Bearer ${read.token}` }
  const ours = () => load(read.url, { connections: CONNECTIONS, seconds: SECONDS, headers })
  await bare()
  await ours()
  const rounds = []
  // The two servers alternate, so that a slowdown of the computer affects both.
  for (let round = 0; round < ROUNDS; round += 1) rounds.push({ bare: await bare(), ours: await ours() })
  await stop()
  const ratio = median(rounds.map((round) => round.ours.perSecond / round.bare.perSecond))
  report({
    figure: read.figure,
    value: median(rounds.map((round) => round.ours.perSecond)),
    limit: median(rounds.map((round) => round.bare.perSecond)),
    unit: `requests/s at ${CONNECTIONS} connections`,
    ratio,
    aim: 'at least 0.75',
    reached: ratio >= 0.75,
    p99Ms: median(rounds.map((round) => round.ours.p99Ms)),
    limitP99Ms: median(rounds.map((round) => round.bare.p99Ms)),
  })
}
