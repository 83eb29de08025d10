import { mkdir, mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { preflight } from '../../src/drawing/engine.ts'
import { type AssetSize, type PreflightReport, PT_PER_MM } from '../../src/drawing/index.ts'
import { createRenderer, type RenderedFile, type Renderer } from '../../src/rendering/index.ts'
import { openPdf, type PageBox, type Raster } from '../lib/pdfium.ts'
import { type CorpusEntry, corpusFonts } from './corpus.ts'

/** One page of a design as two images: drawn from the PDF, and as a preview. */
export interface DrawnPage {
  printAreaId: string
  /** The trimmed page of the PDF, drawn by PDFium. */
  fromPdf: Raster
  /** The preview, in the same size. */
  preview: Raster
}

const LONG_SIDE_PX = 1200

/** Draws each page of a print file twice: from the PDF and as a preview, both with the same size and position. */
export async function drawPages({ job }: CorpusEntry, pdf: Uint8Array, renderer: Renderer): Promise<DrawnPage[]> {
  const file = await openPdf(pdf)
  try {
    const pages: DrawnPage[] = []
    for (const [index, { id, widthMm, heightMm, bleedMm, shape }] of job.printAreas.entries()) {
      const widthPx = Math.round((LONG_SIDE_PX * widthMm) / Math.max(widthMm, heightMm))
      const preview = await decode(await renderer.preview({ ...job, printAreaId: id, widthPx, format: 'png' }))
      const [x, width, height] = [bleedMm, widthMm, heightMm].map((mm) => mm * PT_PER_MM) as [number, number, number]
      const trim: PageBox = { x, y: x, width, height }
      const fromPdf = file.rasterize(index, trim, { widthPx: preview.width, heightPx: preview.height })
      if (shape === 'ellipse') cutToEllipse(fromPdf)
      pages.push({ printAreaId: id, fromPdf, preview })
    }
    return pages
  } finally {
    file.close()
  }
}

/**
 * Masks the parts of a page that are cut off. A preview shows only what remains after cutting, but a PDF shows the
 * whole sheet.
 */
export function cutToEllipse({ width, height, data }: Raster): void {
  for (let y = 0; y < height; y += 1) {
    for (let x = 0; x < width; x += 1) {
      const isInside = ((2 * x + 1) / width - 1) ** 2 + ((2 * y + 1) / height - 1) ** 2 <= 1
      if (!isInside) data.fill(255, (y * width + x) * 4, (y * width + x + 1) * 4)
    }
  }
}

async function decode(picture: Uint8Array): Promise<Raster> {
  const { data, info } = await sharp(picture).ensureAlpha().raw().toBuffer({ resolveWithObject: true })
  return { width: info.width, height: info.height, data }
}

export function readPrintFile(files: readonly RenderedFile[]): Promise<Uint8Array> {
  const print = files.find(({ kind }) => kind === 'print')
  if (print === undefined) throw new Error('There is no print file')
  return readFile(print.path)
}

/**
 * Draws designs in a renderer of its own and deletes the files afterwards. Returns what was drawn by the name of the
 * design.
 */
export async function drawCorpus(corpus: readonly CorpusEntry[]): Promise<Map<string, RenderedFile[]>> {
  const renderer = createRenderer({ log: { warn: () => {} } })
  const dir = await mkdtemp(join(tmpdir(), 'platen-corpus-'))
  try {
    return await drawInto(dir, corpus, renderer)
  } finally {
    await renderer.close()
    await rm(dir, { recursive: true, force: true })
  }
}

/** Draws each design into a subfolder of `dir` with its name. Returns the files by the name of the design. */
export async function drawInto(
  dir: string,
  corpus: readonly CorpusEntry[],
  renderer: Renderer,
): Promise<Map<string, RenderedFile[]>> {
  const drawn = corpus.map(async ({ name, job }) => {
    const outDir = join(dir, name)
    await mkdir(outDir)
    return [name, await renderer.print(job, outDir)] as const
  })
  return new Map(await Promise.all(drawn))
}

/** Returns the preflight report of a design, as saving the design would return it. */
export async function preflightOf({ job }: CorpusEntry, renderer: Renderer): Promise<PreflightReport> {
  const assets = new Map<string, AssetSize>()
  for (const [id, image] of Object.entries(job.images)) assets.set(id, await renderer.inspect(image))
  const { document, printAreas, data } = job
  const product = { status: 'active', printAreas }
  return preflight({ document, product, assets, fonts: corpusFonts, ...(data === undefined ? {} : { data }) })
}
