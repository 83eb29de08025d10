import { join } from 'node:path'
import { call } from '../../scripts/lib/client.ts'
import { CHILD_ENV, CHILD_FLAGS } from '../../src/rendering/pool/child.ts'
import { runScript } from '../lib/child.ts'
import { median, quantile } from '../lib/load.ts'
import { savePostcards } from '../lib/postcards.ts'
import { report } from '../lib/report.ts'
import type { Subject } from '../lib/subject.ts'
import { printJobOf } from './print-job.ts'

const DESIGNS = 40
/** The number of finalizations before the measurement. They start the rendering processes and load fonts. */
const WARM_UP = 4

/**
 * Compares finalizing a two-sided A6 postcard with a 300 dpi photo with rendering the same postcard without HTTP and
 * SQL.
 */
export async function benchFinalize(subject: Subject): Promise<void> {
  const { base, token } = subject
  const job = await printJobOf(subject)
  const timings: number[] = []
  for (const [round, id] of (await savePostcards(subject, WARM_UP + DESIGNS)).entries()) {
    const begin = performance.now()
    await call('POST', `${base}/designs/${id}/finalize`, { token })
    if (round >= WARM_UP) timings.push(performance.now() - begin)
  }
  const bare: number[] = JSON.parse(
    await runScript(join(import.meta.dirname, 'bare-finalize.ts'), [], {
      input: JSON.stringify({ job, rounds: DESIGNS }),
      env: CHILD_ENV,
      flags: CHILD_FLAGS,
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
    aim: 'at most 1.3',
    reached: value / limit <= 1.3,
    p95Ms: quantile(sorted, 0.95),
  })
}
