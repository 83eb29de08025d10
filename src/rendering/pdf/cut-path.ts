import { type PDFContext, PDFDict, PDFName, type PDFPage, type PDFRef, PDFString } from '@cantoo/pdf-lib'
import type { PageDecorator } from './finish-pdf.ts'

/** The name of the spot colour and of the layer. Cutting machines recognize the cut path by this name. */
const CUT_CONTOUR = 'CutContour'
const LINE_WIDTH_PT = 0.25
/**
 * Viewers show the cut path on screens in this colour: the magenta of sRGB in CIELAB (D50). CIELAB is
 * device-independent, so every PDF/X file may contain it.
 */
const MAGENTA_LAB = [60.17, 93.54, -60.5]
const PAPER_LAB = [100, 0, 0]
const D50 = [0.9642, 1, 0.8249]

/**
 * Draws the cut path: the trim box, or the ellipse in it, as an overprinting hairline in a spot colour (Separation, ISO
 * 32000-1, section 8.6.6.4). The path is on an optional layer of its own (section 8.11). Previews do not show it.
 */
export function drawCutPath(shape: 'rectangle' | 'ellipse'): PageDecorator {
  return (page) => {
    const { context } = page.doc
    const parts = partsOf(page)
    addResource(page, 'Properties', parts.layer)
    addResource(page, 'ColorSpace', parts.spotColor)
    addResource(page, 'ExtGState', parts.overprint)
    const style = `/${CUT_CONTOUR} CS 1 SCN /${CUT_CONTOUR} gs ${LINE_WIDTH_PT} w 0 J 0 j [] 0 d`
    const outline = shape === 'ellipse' ? ellipse(page) : rectangle(page)
    const content = `q\n/OC /${CUT_CONTOUR} BDC\n${style}\n${outline}\ns\nEMC\nQ\n`
    page.node.addContentStream(context.register(context.stream(content)))
  }
}

type Parts = { layer: PDFRef; spotColor: PDFRef; overprint: PDFRef }

// All pages of a file share one layer, so that switching off the layer hides every cut path.
const written = new WeakMap<PDFContext, Parts>()

function partsOf({ doc: { context, catalog } }: PDFPage): Parts {
  const known = written.get(context)
  if (known !== undefined) return known
  const layer = context.register(context.obj({ Type: 'OCG', Name: PDFString.of(CUT_CONTOUR) }))
  const config = { Name: PDFString.of('Layers'), BaseState: 'ON', ON: [layer], Order: [layer] }
  catalog.set(PDFName.of('OCProperties'), context.obj({ OCGs: [layer], D: config }))
  const parts = {
    layer,
    spotColor: context.register(spotColor(context)),
    overprint: context.register(context.obj({ Type: 'ExtGState', OP: true, op: true, OPM: 1 })),
  }
  written.set(context, parts)
  return parts
}

function spotColor(context: PDFContext) {
  const lab = ['Lab', { WhitePoint: D50, Range: [-128, 127, -128, 127] }]
  const tint = { FunctionType: 2, Domain: [0, 1], C0: PAPER_LAB, C1: MAGENTA_LAB, N: 1 }
  return context.obj(['Separation', CUT_CONTOUR, lab, tint])
}

function addResource({ node, doc: { context } }: PDFPage, kind: string, value: PDFRef): void {
  const resources = node.Resources() ?? context.obj({})
  const named = resources.lookupMaybe(PDFName.of(kind), PDFDict) ?? context.obj({})
  named.set(PDFName.of(CUT_CONTOUR), value)
  resources.set(PDFName.of(kind), named)
  node.set(PDFName.of('Resources'), resources)
}

function rectangle(page: PDFPage): string {
  const { x, y, width, height } = page.getTrimBox()
  const corners = [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ]
  return corners.map((corner, i) => operation(corner, i === 0 ? 'm' : 'l')).join('\n')
}

/**
 * The distance of the control points from the ends of a curve that approximates a quarter of a circle of radius 1. The
 * error is at most 0.03 %.
 */
const QUARTER = (4 / 3) * Math.tan(Math.PI / 8)

function ellipse(page: PDFPage): string {
  const { x, y, width, height } = page.getTrimBox()
  const [rx, ry] = [width / 2, height / 2]
  const at = (u: number, v: number) => [x + rx * (1 + u), y + ry * (1 + v)]
  const quarters = [0, 1, 2, 3].map((quarter) => {
    const [c = 0, s = 0] =
      [
        [1, 0],
        [0, 1],
        [-1, 0],
        [0, -1],
      ][quarter] ?? []
    // Draws a quarter of the ellipse, from the direction (c, s) to the direction (-s, c).
    return operation(
      [...at(c - QUARTER * s, s + QUARTER * c), ...at(QUARTER * c - s, QUARTER * s + c), ...at(-s, c)],
      'c',
    )
  })
  return [operation(at(1, 0), 'm'), ...quarters].join('\n')
}

function operation(numbers: readonly number[], operator: string): string {
  return `${numbers.map((value) => Math.round(value * 1e4) / 1e4).join(' ')} ${operator}`
}
