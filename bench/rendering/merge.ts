import { mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { fullBleed, jobImage, postcard, text } from '../../src/rendering/factory.ts'
import { createRenderer } from '../../src/rendering/index.ts'
import { runScript } from '../lib/child.ts'
import { makeLargePhoto } from '../lib/large-photo.ts'
import { median } from '../lib/load.ts'
import { childrenOf, peakMegabytes } from '../lib/processes.ts'
import { report } from '../lib/report.ts'

const ORDERS = 100
const ROUNDS = 5
const [WIDTH_PX, HEIGHT_PX] = [1_311, 1_819]

/** The memory from which the pool replaces a process after a job: half of its limit. */
const MOST_MEGABYTES = 512

interface PrintFile {
  path: string
  sha256: string
  title: string
}

/**
 * Measures merging the print files of 100 orders, each a postcard with a photo of its own, and of 100 orders of one
 * design. The reference reads and writes the same files with the PDF library, without merging them.
 */
export async function benchMerge(): Promise<void> {
  const dir = await mkdtemp(join(tmpdir(), 'platen-merge-'))
  const options = { processes: 1, log: { warn: (fields: object, message: string) => console.error(message, fields) } }
  const drawing = createRenderer(options)
  // A process of its own, so that its memory is that of merging.
  const renderer = createRenderer(options)
  try {
    const files = await makeFiles(dir, drawing)
    await drawing.close()
    const time = async (some: readonly PrintFile[]): Promise<{ ms: number; bytes: number }> => {
      const timings: number[] = []
      let bytes = 0
      for (let round = 0; round < ROUNDS; round += 1) {
        const begin = performance.now()
        const outcome = await renderer.mergePrintFiles({ title: 'Print files', files: some }, dir)
        timings.push(performance.now() - begin)
        if ('bytes' in outcome) bytes = outcome.bytes
      }
      return { ms: median(timings), bytes }
    }
    const merged = await time(files)
    const [pid = 0] = await childrenOf(process.pid, 'rendering/worker')
    const megabytes = await peakMegabytes(pid)
    const paths = files.map(({ path }) => path)
    const limit = Number(await runScript(join(import.meta.dirname, 'bare-merge.ts'), [dir, ...paths]))
    const alike = await time(files.map(({ title }) => ({ ...(files[0] as PrintFile), title })))
    const sizes = await Promise.all(paths.map(async (path) => (await stat(path)).size))
    const fileMegabytes = sizes.reduce((total, size) => total + size, 0) / 1e6
    const figures: [string, number, number, string, string][] = [
      [`merge the print files of ${ORDERS} orders`, merged.ms, limit, 'ms', 'at most the reference'],
      [`merge ${ORDERS} orders of one design`, alike.ms, limit, 'ms', 'at most the reference'],
    ]
    for (const [figure, value, limit, unit, aim] of figures) {
      const sizes = { fileMegabytes, mergedMegabytes: merged.bytes / 1e6, alikeMegabytes: alike.bytes / 1e6 }
      report({ figure, value, limit, unit, ratio: value / limit, aim, reached: value < limit, ...sizes })
    }
    report({
      ...{ figure: 'peak memory of the process that merges them', value: megabytes, limit: MOST_MEGABYTES },
      ...{ unit: 'MB', ratio: megabytes / MOST_MEGABYTES, aim: `under ${MOST_MEGABYTES} MB` },
      reached: megabytes < MOST_MEGABYTES,
    })
  } finally {
    await Promise.all([drawing.close(), renderer.close()])
    await rm(dir, { recursive: true, force: true })
  }
}

async function makeFiles(
  dir: string,
  renderer: Pick<ReturnType<typeof createRenderer>, 'print'>,
): Promise<PrintFile[]> {
  const photo = await makeLargePhoto(WIDTH_PX, HEIGHT_PX)
  const files: PrintFile[] = []
  for (let order = 0; order < ORDERS; order += 1) {
    const own = join(dir, String(order))
    await mkdir(own)
    const path = join(dir, `photo-${order}.jpg`)
    // Brightness makes each photo different in all of its data.
    const bytes = await sharp(photo)
      .modulate({ brightness: 0.8 + order / 500 })
      .jpeg({ quality: 90 })
      .toBuffer()
    await writeFile(path, bytes)
    const front = [fullBleed('photo'), text(`Order ${order}`, { y: 20 })]
    const [print] = await renderer.print(postcard({ front }, { photo: jobImage(path) }), own)
    if (print === undefined) throw new Error('nothing was printed')
    files.push({ path: print.path, sha256: print.sha256, title: `Order ${order}` })
  }
  return files
}
