/**
 * Reads print files with the PDF library and writes them again, one after another: what merging cannot do without.
 * Prints the median of the milliseconds. Arguments: the folder for the written files, then the files.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ParseSpeeds, PDFDocument } from '@cantoo/pdf-lib'
import { median } from '../lib/load.ts'

const ROUNDS = 5
const [dir = '', ...paths] = process.argv.slice(2)
const timings: number[] = []
for (let round = 0; round < ROUNDS; round += 1) {
  const begin = performance.now()
  for (const path of paths) {
    const pdf = await PDFDocument.load(await readFile(path), {
      ...{ updateMetadata: false, parseSpeed: ParseSpeeds.Fastest },
    })
    const options = { useObjectStreams: false, objectsPerTick: Number.POSITIVE_INFINITY }
    await writeFile(join(dir, 'copy.pdf'), await pdf.save(options))
  }
  timings.push(performance.now() - begin)
}
console.log(median(timings))
