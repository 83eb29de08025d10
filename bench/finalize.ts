import { join } from 'node:path'
import { call } from '../scripts/lib/client.ts'
import { CHILD_ENV } from '../src/rendering/pool/child.ts'
import { runScript } from './lib/child.ts'
import { median, quantile } from './lib/load.ts'
import { printJobOf } from './lib/print-job.ts'
import { report } from './lib/report.ts'
import type { Subject } from './lib/subject.ts'

const DESIGNS = 40

/** Finalizing a two-sided A6 postcard with a 300 dpi photo, against the same drawing without HTTP and SQL. */
export async function benchFinalize(subject: Subject): Promise<void> {
  const { base, token, designId } = subject
  const job = await printJobOf(subject)
  const timings: number[] = []
  // The first ones start the drawing processes and load fonts.
  for (let round = -4; round < DESIGNS; round += 1) {
    const { body: copy } = await call('POST', `${base}/designs/${designId}/duplicate`, { token })
    const begin = performance.now()
    await call('POST', `${base}/designs/${copy.id}/finalize`, { token })
    if (round >= 0) timings.push(performance.now() - begin)
  }
  const bare: number[] = JSON.parse(
    await runScript(join(import.meta.dirname, 'lib/bare-finalize.ts'), [], {
      input: JSON.stringify({ job, rounds: DESIGNS }),
      env: CHILD_ENV,
    }),
  )
  const sorted = timings.sort((a, b) => a - b)
  const value = quantile(sorted, 0.5)
  const limit = median(bare)
  report({
    figure: 'finalize a two-sided A6 postcard, p50',
    value,
    limit,
    unit: 'ms',
    ratio: value / limit,
    aim: 'at most 1.5',
    reached: value / limit <= 1.5,
    p95Ms: quantile(sorted, 0.95),
  })
}
