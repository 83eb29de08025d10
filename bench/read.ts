import { join } from 'node:path'
import { freePort } from '../scripts/lib/service-process.ts'
import { startScript } from './lib/child.ts'
import { load, median } from './lib/load.ts'
import { report } from './lib/report.ts'
import type { Subject } from './lib/subject.ts'

const ROUNDS = 5
const CONNECTIONS = 32

/** A signed-in read of one design, against a bare server that reads the same row. */
export async function benchRead({ base, token, designId, connectionString }: Subject): Promise<void> {
  const port = await freePort()
  const stop = await startScript(join(import.meta.dirname, 'lib/bare-read.ts'), [
    connectionString,
    designId,
    String(port),
  ])
  const bare = () => load(`http://127.0.0.1:${port}/`, { connections: CONNECTIONS, seconds: 4 })
  const ours = () =>
    load(`${base}/designs/${designId}`, {
      connections: CONNECTIONS,
      seconds: 4,
      headers: { authorization: `Bearer ${token}` },
    })
  await bare()
  await ours()
  const rounds = []
  // In turn, so that a machine that slows down slows both.
  for (let round = 0; round < ROUNDS; round += 1) rounds.push({ bare: await bare(), ours: await ours() })
  await stop()
  const ratio = median(rounds.map((round) => round.ours.perSecond / round.bare.perSecond))
  report({
    figure: 'read a design',
    value: median(rounds.map((round) => round.ours.perSecond)),
    limit: median(rounds.map((round) => round.bare.perSecond)),
    unit: 'requests/s at 32 connections',
    ratio,
    aim: 'at least 0.75',
    reached: ratio >= 0.75,
    p99Ms: median(rounds.map((round) => round.ours.p99Ms)),
    limitP99Ms: median(rounds.map((round) => round.bare.p99Ms)),
  })
}
