import { call } from '../../scripts/lib/client.ts'
import { load } from '../lib/load.ts'
import { savePostcards } from '../lib/postcards.ts'
import { residentMegabytes } from '../lib/processes.ts'
import { report } from '../lib/report.ts'
import type { Subject } from '../lib/subject.ts'

const FINALIZES = 240
const LANES = 2
const READS_PER_SECOND = 100

/** Measures reads of a design, and the memory of the API process, while two callers finalize designs continuously. */
export async function benchBusy(subject: Subject): Promise<void> {
  const { service, base, token, designId } = subject
  const pid = service.child.pid ?? 0
  const ids = await savePostcards(subject, FINALIZES)
  const memory: number[] = []
  const finalize = async () => {
    const id = ids.pop()
    if (id === undefined) return
    await call('POST', `${base}/designs/${id}/finalize`, { token })
    if (ids.length % 30 === 0) memory.push(await residentMegabytes(pid))
  }
  for (let warm = 0; warm < 30; warm += 1) await finalize()
  const begin = performance.now()
  const lane = async () => {
    while (ids.length > 0) await finalize()
  }
  const headers = { authorization: `Bearer ${token}` }
  const reads = { connections: 4, seconds: 12, perSecond: READS_PER_SECOND, headers }
  const [meanwhile] = await Promise.all([
    load(`${base}/designs/${designId}`, reads),
    ...Array.from({ length: LANES }, lane),
  ])
  const seconds = (performance.now() - begin) / 1000
  report({
    figure: 'reads during continuous finalization by two callers, p99',
    value: meanwhile.p99Ms,
    limit: 50,
    unit: 'ms',
    ratio: meanwhile.p99Ms / 50,
    aim: 'under 50 ms',
    reached: meanwhile.p99Ms < 50,
    readsPerSecond: meanwhile.perSecond,
    finalizesPerSecond: (FINALIZES - 30) / seconds,
  })
  const [start = Number.NaN] = memory
  const end = memory.at(-1) ?? Number.NaN
  report({
    figure: `memory of the API process over ${FINALIZES} finalizes`,
    value: end,
    limit: start,
    unit: 'MB',
    ratio: end / start,
    aim: 'at most 1.1 times the memory at the start',
    reached: end / start <= 1.1,
    course: memory.map((megabytes) => Math.round(megabytes)).join(' '),
  })
}
