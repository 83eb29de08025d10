/** Feeds mutated fonts, images, profiles and paths to the code that accepts them from customers. */
import { join } from 'node:path'
import { Argument, InvalidArgumentError } from 'commander'
import { developerCommand } from '../scripts/lib/developer-command.ts'
import { numberOption } from '../src/commands/command-line/command.ts'
import { runCampaign } from './lib/campaign.ts'
import { collect, keepInput, readInput } from './lib/corpus.ts'
import { replay } from './lib/replay.ts'
import { isTargetName, TARGET_NAMES } from './lib/target.ts'

interface Options {
  minutes: number
  seed: number
  first: number
  out: string
  replay?: string[]
  collect?: true
  keep?: string[]
}

const append = (value: string, values: string[] = []) => [...values, value]

const program = developerCommand('npm run fuzz --', 'Feed mutated files to the code that accepts files from customers.')
  .addArgument(new Argument('[target...]', 'targets (default: all, one after the other)').choices(TARGET_NAMES))
  .option('--minutes <number>', 'time for each target', readMinutes, 1)
  .addOption(numberOption('--seed <number>', 'seed of the random choices', [0, Number.MAX_SAFE_INTEGER]).default(1))
  .addOption(numberOption('--first <number>', 'number of the first case', [0, Number.MAX_SAFE_INTEGER]).default(0))
  .option('--out <folder>', 'folder for findings and the population', join(import.meta.dirname, 'out'))
  .option('--replay <file>', 'check this input instead of mutated inputs; may be repeated', append)
  .option('--collect', 'add inputs of the population with new outcomes to the corpus')
  .option('--keep <file>', 'add this input to the corpus; may be repeated', append)
  .addHelpText('after', '\nExit status: 0 no findings, 1 findings, 2 invalid command line')
  .parse()
const values = program.opts<Options>()
const wanted = program.args.length === 0 ? TARGET_NAMES : program.args.filter(isTargetName)

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
  const { minutes, seed, first: firstCase } = values
  const summary = await runCampaign({ target, minutes, seed, firstCase, outDir: join(values.out, target) })
  console.log(JSON.stringify(summary))
  found += summary.findings.length
}
process.exitCode = found > 0 ? 1 : 0

function readMinutes(text: string): number {
  const minutes = Number(text)
  if (!(minutes >= 0)) throw new InvalidArgumentError('Expected a number of minutes.')
  return minutes
}
