/**
 * Feeds mutated fonts, images, profiles and paths to the code that takes them from customers:
 * npm run fuzz -- TARGET... [--minutes N] [--seed N] [--processes N] [--out DIR], or TARGET --replay FILE...
 */
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { runCampaign } from './lib/campaign.ts'
import { collect, keepInput, readInput } from './lib/corpus.ts'
import { replay } from './lib/replay.ts'
import { isTargetName, TARGET_NAMES } from './lib/target.ts'

const USAGE = `Usage: npm run fuzz -- TARGET... [options]

Targets: ${TARGET_NAMES.join(', ')}; all of them in turn when none is named.

  --minutes N    for each target (default 1)
  --seed N       of the choices (default 1)
  --first N      the number of the first case (default 0)
  --out DIR      where findings and the population are written (default fuzz/out)
  --replay FILE  checks these inputs, and mutates none; may be repeated
  --collect      adds inputs of the population with new outcomes to the corpus
  --keep FILE    adds these inputs to the corpus; may be repeated

Exit status: 0 nothing found, 1 something found, 2 wrong usage
`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: '1' },
    first: { type: 'string', default: '0' },
    out: { type: 'string', default: join(import.meta.dirname, 'out') },
    replay: { type: 'string', multiple: true },
    collect: { type: 'boolean' },
    keep: { type: 'string', multiple: true },
    help: { type: 'boolean' },
  },
})
const wanted = positionals.length === 0 ? TARGET_NAMES : positionals.filter(isTargetName)
const numbers = [values.minutes, values.seed, values.first].map(Number)
if (values.help || wanted.length < positionals.length || numbers.some((number) => !(number >= 0))) {
  process.stdout.write(USAGE)
  process.exit(values.help ? 0 : 2)
}

let found = 0
for (const target of wanted) {
  if (values.replay !== undefined) {
    for (const result of await replay(target, values.replay)) {
      console.log(
        'failure' in result ? `FAILED ${result.file}: ${result.failure}` : `${result.file}: ${result.outcome}`,
      )
      found += 'failure' in result ? 1 : 0
    }
    continue
  }
  if (values.keep !== undefined) {
    for (const path of values.keep) keepInput(target, readInput(path))
    continue
  }
  if (values.collect) {
    console.log(`${target}: ${await collect(target, join(values.out, target, 'population'))} inputs added`)
    continue
  }
  const [minutes = 1, seed = 1, firstCase = 0] = numbers
  const summary = await runCampaign({ target, minutes, seed, firstCase, outDir: join(values.out, target) })
  console.log(JSON.stringify(summary))
  found += summary.findings.length
}
process.exitCode = found > 0 ? 1 : 0
