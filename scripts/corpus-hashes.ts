/**
 * Writes test/corpus/hashes.json: what the test corpus comes out as. Refuses when a design comes out as other bytes and
 * neither RENDERER_VERSION nor DRAWING_VERSION was raised. `--same-version` writes it all the same, for versions that no
 * release has contained yet.
 */
import { existsSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { loadCorpus } from '../test/corpus/corpus.ts'
import { drawCorpus } from '../test/corpus/draw-corpus.ts'
import { HASHES_FILE, hashesOf, readHashes, unannouncedChanges } from '../test/corpus/hashes.ts'

const corpus = await loadCorpus()
const now = hashesOf(corpus, await drawCorpus(corpus))
const changed = existsSync(HASHES_FILE) ? unannouncedChanges(readHashes(), now) : []
for (const name of changed) console.error(name)
if (changed.length > 0 && !process.argv.includes('--same-version')) {
  console.error('These come out as other bytes under the same versions, so hashes.json was not written.')
  console.error('Raise RENDERER_VERSION or DRAWING_VERSION; see the head of scripts/corpus-hashes.ts.')
  process.exitCode = 1
} else {
  await writeFile(HASHES_FILE, `${JSON.stringify(now, null, 2)}\n`)
  console.log(`${Object.keys(now.designs).length} designs in test/corpus/hashes.json`)
}
