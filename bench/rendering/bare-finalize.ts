/**
 * The reference for finalizing: the same rendering by the same code, in this process, without HTTP and SQL. Each round
 * has different texts. Reads `{ job, rounds }` as JSON from standard input. Prints the milliseconds of each round.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { printDesign } from '../../src/rendering/jobs/print-design.ts'
import type { HashedPrintJob } from '../../src/rendering/types.ts'
import { withOtherTexts } from '../lib/postcards.ts'

const { job, rounds } = JSON.parse(await text(process.stdin)) as { job: HashedPrintJob; rounds: number }
const outDir = await mkdtemp(join(tmpdir(), 'platen-bench-'))
const timings: number[] = []
// The rounds with negative numbers are not measured, because they load fonts and compile code.
for (let round = -3; round < rounds; round += 1) {
  const other = { ...job, document: withOtherTexts(job.document, round + 3) }
  const begin = performance.now()
  await printDesign(other, outDir)
  if (round >= 0) timings.push(performance.now() - begin)
}
await rm(outDir, { recursive: true })
console.log(JSON.stringify(timings))
