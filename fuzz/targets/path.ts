import { createCanvas } from '@napi-rs/canvas'
import { drawPrintArea, preflight } from '../../src/drawing/engine.ts'
import { a6, documentOf, faultsOf, fonts, shapeLayer } from '../../src/drawing/factory.ts'
import { normalizeDocument } from '../../src/drawing/index.ts'
import { countDashes } from '../../src/drawing/layers/shape/count-dashes.ts'
import { pathHull } from '../../src/drawing/shapes/path/path-hull.ts'
import { hullOf, parsePath } from '../../src/drawing/shapes/path/svg-path.ts'
import { drawGroup } from '../../src/rendering/jobs/draw-group.ts'
import type { CheckContext, Target } from '../lib/target.ts'
import { mutatePath, PATH_SEEDS } from '../mutators/path.ts'

const MAX_LENGTH = 65_536

/** Creates the target for the paths of shapes. Each input is parsed, checked, and drawn with a dashed stroke. */
export function path(): Target {
  return {
    seeds: PATH_SEEDS.map((data) => Buffer.from(data)),
    mutate: (random, input, other) =>
      Buffer.from(mutatePath(random, String(input), String(other)).slice(0, MAX_LENGTH)),
    check,
    // The budget is small, because a document may have three paths of this length.
    budgetMs: 300,
    covers: /src\/drawing\/.*/,
  }
}

async function check(input: Buffer, { enter }: CheckContext): Promise<string> {
  const data = String(input)
  enter('preflight')
  const parsed = parsePath(data)
  checkInvariants(data)
  const layer = shapeLayer({
    shape: 'path',
    path: data,
    stroke: { color: '#112233', widthMm: 0.5, dashMm: [1, 2] },
  })
  const document = documentOf(layer)
  const problems = faultsOf(document)
  const product = { status: 'active', printAreas: [a6] }
  const report = preflight({ document: normalizeDocument(document), product, assets: new Map(), fonts })
  JSON.stringify(report)
  const codes = [...problems.map(({ code }) => code), ...report.issues.map(({ code }) => code)]
  if (parsed.ok && problems.length === 0) {
    enter('draw')
    draw(document)
  }
  const reason = parsed.ok ? `steps 2^${Math.ceil(Math.log2(parsed.steps.length + 1))}` : parsed.reason
  return `${reason}; ${[...new Set(codes)].sort().join(' ')}`
}

function checkInvariants(data: string): void {
  const parsed = parsePath(data)
  if (!parsed.ok) return
  const points = hullOf(parsed.steps)
  if (!points.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))) throw new Error('A point is not finite')
  const hull = pathHull(data)
  if (!hull.every(({ x, y }) => Number.isFinite(x) && Number.isFinite(y))) throw new Error('The hull is not finite')
  const [xs, ys] = [hull.map(({ x }) => x), hull.map(({ y }) => y)]
  const [left, right, top, bottom] = [least(xs), most(xs), least(ys), most(ys)]
  const slack = 1e-6
  const isInside = points.every(
    ({ x, y }) => x >= left - slack && x <= right + slack && y >= top - slack && y <= bottom + slack,
  )
  if (!isInside) throw new Error('A point lies outside the hull')
  const dashes = countDashes(
    shapeLayer({ shape: 'path', path: data, stroke: { color: '#000000', widthMm: 1, dashMm: [3] } }),
  )
  if (!(dashes >= 0 && Number.isFinite(dashes))) throw new Error('The dashes cannot be counted')
}

const least = (values: readonly number[]) => values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY)
const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY)

function draw(document: Parameters<typeof drawPrintArea>[1]['document']): void {
  const canvas = createCanvas(105, 148)
  const context = canvas.getContext('2d')
  context.scale(0.35, 0.35)
  const drawn = { document, printArea: a6, fonts, images: new Map(), box: 'trim', data: {}, group: drawGroup } as const
  drawPrintArea(context, drawn)
  canvas.data()
}
