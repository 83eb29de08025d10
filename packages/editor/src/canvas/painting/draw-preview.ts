import type { DesignDocument, PrintArea } from '@platen/drawing'
import type { Engine } from '../../engine/index.ts'
import type { PageImages } from './page-images.ts'

export interface PreviewInput {
  document: DesignDocument
  canvas: HTMLCanvasElement
  printArea: PrintArea | undefined
  engine: Engine
  images: PageImages
}

/** Draws one side of a document as it is cut, as large as the canvas is wide. */
export async function drawPreview({ document, canvas, printArea, engine, images }: PreviewInput): Promise<void> {
  const context = canvas.getContext('2d')
  if (context === null || printArea === undefined) return
  await engine.fonts.ready(document)
  const width = Math.max(1, Math.round((canvas.clientWidth || 240) * devicePixelRatio))
  const pxPerMm = width / printArea.widthMm
  Object.assign(canvas, { width, height: Math.max(1, Math.round(printArea.heightMm * pxPerMm)) })
  engine.drawPlacement(context, {
    ...{ document, printArea, pxPerMm, images: images.current() },
    ...{ box: 'trim', paper: '#ffffff', cut: true },
  })
}
