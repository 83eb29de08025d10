/** Renders the test corpus to ./gallery: print files, previews, and an index.html that shows them side by side. */
import { spawnSync } from 'node:child_process'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import type { PreflightReport } from '../src/drawing/index.ts'
import { createRenderer } from '../src/rendering/index.ts'
import { type CorpusEntry, loadCorpus } from '../test/corpus/corpus.ts'
import { drawPages, preflightOf, readPrintFile } from '../test/corpus/draw-corpus.ts'
import { meanDifference } from '../test/lib/compare-pixels.ts'
import type { Raster } from '../test/lib/pdfium.ts'
import { developerCommand } from './lib/developer-command.ts'

const OUT = join(import.meta.dirname, '../gallery')

interface GalleryEntry {
  entry: CorpusEntry
  report: PreflightReport
  pages: { printAreaId: string; difference: number }[]
  complaints: string[]
}

const wanted = developerCommand('npm run gallery --', 'Draw the designs of the test corpus to ./gallery.')
  .argument('[name...]', 'parts of names of designs, such as "poster card" (default: all designs)')
  .parse().args
const corpus = (await loadCorpus()).filter(
  ({ name }) => wanted.length === 0 || wanted.some((part) => name.includes(part)),
)
const renderer = createRenderer({ log: { warn: (fields, message) => console.error(message, fields) } })

if (wanted.length === 0) await rm(OUT, { recursive: true, force: true })
const drawn: GalleryEntry[] = []
// Two designs are processed at a time, so that one is rendered while the other is compared.
const waiting = [...corpus.entries()]
const lane = async (): Promise<void> => {
  for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const [index, entry] = next
    drawn[index] = await drawEntry(entry)
    console.log(summary(drawn[index]))
  }
}
await Promise.all([lane(), lane()])
await renderer.close()
await writeFile(join(OUT, 'index.html'), toHtml(drawn))
console.log(`\n${drawn.length} designs in ./gallery/index.html`)

async function drawEntry(entry: CorpusEntry): Promise<GalleryEntry> {
  const folder = join(OUT, entry.name)
  await mkdir(folder, { recursive: true })
  const report = await preflightOf(entry, renderer)
  const pdf = await readPrintFile(await renderer.print(entry.job, folder))
  await writeFile(join(folder, 'preflight.json'), JSON.stringify(report, null, 2))
  const pages: GalleryEntry['pages'] = []
  for (const [index, { printAreaId, fromPdf, preview }] of (await drawPages(entry, pdf, renderer)).entries()) {
    await savePng(fromPdf, join(folder, `page-${index + 1}-pdf.png`))
    await savePng(preview, join(folder, `page-${index + 1}-preview.png`))
    pages.push({ printAreaId, difference: meanDifference(fromPdf, preview) })
  }
  return { entry, report, pages, complaints: complaintsOfTools(join(folder, 'print.pdf')) }
}

async function savePng({ width, height, data }: Raster, path: string): Promise<void> {
  await sharp(data, { raw: { width, height, channels: 4 } })
    .removeAlpha()
    .png()
    .toFile(path)
}

function complaintsOfTools(path: string): string[] {
  const complaints: string[] = []
  const run = (tool: string, args: string[]): string | undefined => {
    const { status, stdout, stderr, error } = spawnSync(tool, [...args, path], { encoding: 'utf8' })
    if (error !== undefined) return undefined
    if (status !== 0 || stderr !== '') complaints.push(`${tool}: ${stderr || stdout}`)
    return stdout
  }
  run('qpdf', ['--check'])
  const boxes = run('pdfinfo', ['-box'])
  if (boxes !== undefined && !/TrimBox/.test(boxes)) complaints.push('pdfinfo: no TrimBox')
  // pdffonts prints two lines of heading. Each line after them ends with the columns: embedded, subset, mapped to
  // Unicode, object id.
  for (const line of run('pdffonts', [])?.split('\n').slice(2) ?? []) {
    if (line !== '' && !/ yes yes yes +\d+ +\d+$/.test(line)) complaints.push(`pdffonts: ${line}`)
  }
  return complaints
}

function summary({ entry, report, pages, complaints }: GalleryEntry): string {
  const codes = [...new Set(report.issues.map(({ code }) => code))]
  const differences = pages.map(({ difference }) => `${(difference * 100).toFixed(2)} %`)
  return [entry.name.padEnd(30), differences.join(' '), ...codes, ...complaints].join('  ')
}

function toHtml(entries: GalleryEntry[]): string {
  const sections = entries.map(({ entry, report, pages, complaints }) => {
    const figures = pages.map(({ printAreaId, difference }, index) => {
      const image = (kind: string) =>
        `<img loading="lazy" src="${entry.name}/page-${index + 1}-${kind}.png" alt="${kind}">`
      const caption = `${printAreaId}: print file, preview; they differ by ${(difference * 100).toFixed(2)} %`
      return `<figure>${image('pdf')}${image('preview')}<figcaption>${escapeHtml(caption)}</figcaption></figure>`
    })
    const remarks = [...report.issues.map((issue) => `${issue.severity} ${issue.code} ${issue.message}`), ...complaints]
    return `<section id="${entry.name}"><h2>${escapeHtml(entry.title)}</h2>
<p>${escapeHtml(entry.description)} <a href="${entry.name}/print.pdf">print.pdf</a></p>
${figures.join('\n')}
<ul>${remarks.map((remark) => `<li>${escapeHtml(remark)}</li>`).join('')}</ul></section>`
  })
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Gallery</title><style>
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem; background: #d8d8d8; color: #222 }
figure { margin: 0 0 1.5rem; display: flex; flex-wrap: wrap; gap: 1rem }
figcaption { flex-basis: 100%; color: #555 }
img { max-width: min(46vw, 800px); max-height: 90vh; box-shadow: 0 1px 6px #0006 }
</style><h1>${entries.length} designs</h1>${sections.join('\n')}</html>\n`
}

function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')
}
