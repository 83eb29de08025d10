import { checkDashes, preflight } from '../../drawing/engine.ts'
import { type DesignDocument, type Layer, normalizeDocument, type PrintArea } from '../../drawing/index.ts'
import { contentHash } from '../content-hash.ts'
import type { RunningJob } from '../pool/messages.ts'
import { serveJobs } from '../pool/serve-jobs.ts'
import { checkEach } from './check-values.ts'
import { type Bounded, type CheckedDocument, type CheckingJobs, stepOf } from './jobs.ts'
import { installedBook, TooManyFontBytes, withBook } from './open-fonts.ts'

const handlers: CheckingJobs = {
  preflight: async (job, running) =>
    bounded(job, running, ({ document, onLayer }) =>
      withBook(job.fonts, (fonts) => {
        const assets = new Map(Object.entries(job.assets))
        return JSON.stringify(preflight({ document, product: job.product, assets, fonts, onLayer }))
      }),
    ),
  checkDashes: async ({ documentJson }) => ({ result: checkDashes(JSON.parse(documentJson) as DesignDocument) }),
  contentHash: async (job, running) =>
    bounded(job, running, ({ document, onLayer }) =>
      withBook(job.fonts, (fonts) => {
        const { documentJson: _, assets, ...rest } = job
        return contentHash({ ...rest, document, assets: new Map(Object.entries(assets)), fonts, onLayer })
      }),
    ),
  checkValues: async (job, running) =>
    bounded(job, running, (read) =>
      withBook(job.fonts, (fonts) => checkEach({ ...read, printAreas: job.printAreas, fonts }, job)),
    ),
  selfTest: async () => selfTest(),
}

interface Read {
  document: DesignDocument
  /** Records a layer as the one that is being laid out. Call this function before laying out a layer. */
  onLayer: (layer: Layer) => void
  /** Records a set of values as the one that is being checked. Call this function before checking a set. */
  onValues: (index: number) => void
}

/**
 * Parses the document of a job and calls `work` with it. `work` also gets functions that record its position, so that
 * the pool can name the layer at which a job failed.
 */
async function bounded<Result>(
  { documentJson }: CheckedDocument,
  running: RunningJob,
  work: (read: Read) => Promise<Result>,
): Promise<Bounded<Result>> {
  const document = JSON.parse(documentJson) as DesignDocument
  const layers = document.placements.flatMap((placement) => placement.layers)
  const positions = new Map(layers.map((layer, position) => [layer, position]))
  let step = stepOf(0)
  let values = 0
  const onLayer = (layer: Layer) => {
    step = stepOf(positions.get(layer) ?? 0, values)
    running.atStep(step)
  }
  const onValues = (index: number) => {
    values = index
  }
  try {
    return { result: await work({ document, onLayer, onValues }) }
  } catch (error) {
    if (error instanceof TooManyFontBytes) return { tooManyFontBytes: { step } }
    throw error
  }
}

const TEST_AREA: PrintArea = {
  ...{ id: 'front', name: 'Front', widthMm: 85, heightMm: 55 },
  ...{ bleedMm: 3, safeMarginMm: 3, targetDpi: 300, required: true },
}

/** Lays out a known text. This also loads and compiles the code that the first save needs. */
function selfTest(): void {
  const layer = { id: 'text', type: 'text', x: 10, y: 10, width: 60, height: 20, fontSizePt: 14 } as const
  const layers = ['Inter', 'Lora'].map((fontFamily) => ({ ...layer, id: fontFamily, text: 'Self test', fontFamily }))
  const document = normalizeDocument({ version: 1, placements: [{ printAreaId: 'front', layers }] })
  const product = { status: 'active', printAreas: [TEST_AREA] }
  const { ok } = preflight({ document, product, assets: new Map(), fonts: installedBook })
  if (!ok) throw new Error('The self-test failed: preflight reports an error for a valid document')
}

// The test runs before the process takes jobs. A broken process therefore fails when it starts, and the first save is
// fast.
selfTest()
serveJobs(handlers)
