/**
 * Writes test/corpus/hashes.json, the hashes of the rendered test corpus. It refuses to do so if the bytes of a design
 * changed although RENDERER_VERSION and DRAWING_VERSION did not.
 */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { loadCorpus } from '../test/corpus/corpus.ts'
import { drawCorpus } from '../test/corpus/draw-corpus.ts'
import { HASHES_FILE, hashesOf, readHashes, unannouncedChanges } from '../test/corpus/hashes.ts'
import { developerCommand } from './lib/developer-command.ts'

const { sameVersion } = developerCommand('node scripts/corpus-hashes.ts', 'Write test/corpus/hashes.json.')
  .option('--same-version', 'write the file even if bytes changed; only for versions that were never released')
  .parse()
  .opts<{ sameVersion?: true }>()

const corpus = await loadCorpus()
const now = hashesOf(corpus, await drawCorpus(corpus))
const changed = existsSync(HASHES_FILE) ? unannouncedChanges(readHashes(), now) : []
for (const name of changed) console.error(name)
if (changed.length > 0 && sameVersion !== true) {
  console.error('The bytes of these designs changed although the versions did not, so hashes.json was not written.')
  console.error('Raise RENDERER_VERSION or DRAWING_VERSION, or see node scripts/corpus-hashes.ts --help.')
  process.exitCode = 1
} else {
  await writeFile(HASHES_FILE, `${JSON.stringify(now, null, 2)}\n`)
  console.log(`${Object.keys(now.designs).length} designs in test/corpus/hashes.json`)
}
