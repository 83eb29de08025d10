import { loadavg } from 'node:os'
import { median } from '../lib/load.ts'
import { processorMs } from '../lib/processes.ts'
import { report } from '../lib/report.ts'
import { GENERATOR, type Generated } from './generator.ts'

const ROUNDS = 5
const WARM_ROUNDS = 6

export interface Side<Prepared = undefined> {
  /** Prepares a round. It is not measured. */
  prepare?: () => Promise<Prepared>
  /** Sends the requests of one round. */
  run(prepared: Prepared): Promise<Generated>
  /** The process that serves them. Its descendants count too. Undefined if it lives for one round only. */
  pid: number | undefined
}

export interface Comparison<Prepared> {
  figure: string
  unit: string
  /** The smallest ratio that is good enough. */
  aim: number
  ours: Side<Prepared>
  limit: Side
  /** The process of PostgreSQL that started the others. */
  postgresPid: number
  rounds?: number
}

interface Measured extends Generated {
  /** Processor time for each request. */
  micros: number
  postgresMicros: number
}

/** Compares the service with a limit. The two alternate, so that a slowdown of the computer affects both. */
export async function compare<Prepared = undefined>(comparison: Comparison<Prepared>): Promise<void> {
  const { figure, unit, aim, ours, limit, postgresPid, rounds: count = ROUNDS } = comparison
  // V8 optimizes the code of a request only after some ten thousand of them, in each process. A service runs for days.
  for (let warm = 0; warm < WARM_ROUNDS; warm += 1) {
    await measured(limit, postgresPid)
    await measured(ours, postgresPid)
  }
  const rounds: { limit: Measured; ours: Measured }[] = []
  for (let round = 0; round < count; round += 1) {
    rounds.push({ limit: await measured(limit, postgresPid), ours: await measured(ours, postgresPid) })
  }
  const middle = (side: 'ours' | 'limit', value: keyof Measured) => median(rounds.map((round) => round[side][value]))
  const ratio = median(rounds.map((round) => round.ours.perSecond / round.limit.perSecond))
  report({
    figure,
    value: middle('ours', 'perSecond'),
    limit: middle('limit', 'perSecond'),
    unit,
    ratio,
    aim: `at least ${aim}`,
    reached: ratio >= aim,
    p50Ms: middle('ours', 'p50Ms'),
    p99Ms: middle('ours', 'p99Ms'),
    limitP50Ms: middle('limit', 'p50Ms'),
    limitP99Ms: middle('limit', 'p99Ms'),
    cpuMicros: middle('ours', 'micros'),
    postgresMicros: middle('ours', 'postgresMicros'),
    ...(limit.pid === undefined ? {} : { limitCpuMicros: middle('limit', 'micros') }),
    limitPostgresMicros: middle('limit', 'postgresMicros'),
    generator: GENERATOR,
    // Other programs are busy too if this is clearly above the three processes.
    load: loadavg()[0],
  })
}

async function measured<Prepared>({ prepare, run, pid }: Side<Prepared>, postgresPid: number): Promise<Measured> {
  const prepared = (await prepare?.()) as Prepared
  const before = { own: await spentMs(pid), postgres: await processorMs(postgresPid) }
  const begin = performance.now()
  const generated = await run(prepared)
  const requests = (generated.perSecond * (performance.now() - begin)) / 1000
  const microsSince = (spent: number, earlier: number) => ((spent - earlier) * 1000) / requests
  return {
    ...generated,
    micros: microsSince(await spentMs(pid), before.own),
    postgresMicros: microsSince(await processorMs(postgresPid), before.postgres),
  }
}

async function spentMs(pid: number | undefined): Promise<number> {
  return pid === undefined ? 0 : processorMs(pid)
}
