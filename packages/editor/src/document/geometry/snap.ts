import type { PrintArea, Rect } from '@platen/drawing'

/** A line that a moved box has snapped to, in millimetres of the print area. */
export interface Guide {
  axis: 'x' | 'y'
  at: number
  from: number
  to: number
  /** Equal gaps have two guides that show the distance instead of a line. */
  kind: 'edge' | 'gap'
}

export interface Snapped {
  dx: number
  dy: number
  guides: readonly Guide[]
}

/** What a box can snap to. */
export interface SnapTargets {
  x: readonly Target[]
  y: readonly Target[]
  boxes: readonly Rect[]
}

interface Target {
  at: number
  from: number
  to: number
}

/** Collects the edges, centres and margins of a print area, and the edges and centres of other layers. */
export function snapTargets(
  { widthMm, heightMm, bleedMm, safeMarginMm }: PrintArea,
  boxes: readonly Rect[],
): SnapTargets {
  const edges = (size: number): number[] => [
    ...[0, size / 2, size],
    ...(bleedMm > 0 ? [-bleedMm, size + bleedMm] : []),
    ...(safeMarginMm > 0 ? [safeMarginMm, size - safeMarginMm] : []),
  ]
  const ofArea = (size: number, across: number): Target[] =>
    edges(size).map((at) => ({ at, from: -bleedMm, to: across + bleedMm }))
  return {
    x: [
      ...ofArea(widthMm, heightMm),
      ...boxes.flatMap(({ x, y, width, height }) =>
        [x, x + width / 2, x + width].map((at) => ({ at, from: y, to: y + height })),
      ),
    ],
    y: [
      ...ofArea(heightMm, widthMm),
      ...boxes.flatMap(({ x, y, width, height }) =>
        [y, y + height / 2, y + height].map((at) => ({ at, from: x, to: x + width })),
      ),
    ],
    boxes,
  }
}

/**
 * Finds how a moved box snaps.
 *
 * @param anchors which parts of the box may snap: all of them for a move, one edge for a change of the size
 */
export function snapBox(
  box: Rect,
  targets: SnapTargets,
  toleranceMm: number,
  anchors: { x: readonly number[]; y: readonly number[] } = { x: [0, 0.5, 1], y: [0, 0.5, 1] },
): Snapped {
  const x = nearest(
    targets.x,
    anchors.x.map((share) => box.x + share * box.width),
    toleranceMm,
  )
  const y = nearest(
    targets.y,
    anchors.y.map((share) => box.y + share * box.height),
    toleranceMm,
  )
  const isMove = anchors.x.length === 3
  const gapX = x === undefined && isMove ? equalGap(box, targets.boxes, toleranceMm, 'x') : undefined
  const gapY = y === undefined && isMove ? equalGap(box, targets.boxes, toleranceMm, 'y') : undefined
  const dx = x?.by ?? gapX?.by ?? 0
  const dy = y?.by ?? gapY?.by ?? 0
  const moved = { ...box, x: box.x + dx, y: box.y + dy }
  const guides: Guide[] = []
  if (x !== undefined) guides.push(guideOf('x', x.target, moved.y, moved.y + moved.height))
  if (y !== undefined) guides.push(guideOf('y', y.target, moved.x, moved.x + moved.width))
  return { dx, dy, guides: [...guides, ...(gapX?.guides ?? []), ...(gapY?.guides ?? [])] }
}

function nearest(targets: readonly Target[], positions: readonly number[], tolerance: number) {
  let best: { target: Target; by: number } | undefined
  for (const target of targets) {
    for (const position of positions) {
      const by = target.at - position
      if (Math.abs(by) <= tolerance && (best === undefined || Math.abs(by) < Math.abs(best.by))) best = { target, by }
    }
  }
  return best
}

function guideOf(axis: 'x' | 'y', { at, from, to }: Target, boxFrom: number, boxTo: number): Guide {
  return { axis, at, from: Math.min(from, boxFrom), to: Math.max(to, boxTo), kind: 'edge' }
}

/** Snaps a box into the middle between its neighbours, or to the distance that they have from the next one. */
function equalGap(box: Rect, others: readonly Rect[], tolerance: number, axis: 'x' | 'y') {
  const [size, crossAt, crossSize] =
    axis === 'x' ? (['width', 'y', 'height'] as const) : (['height', 'x', 'width'] as const)
  const row = others.filter((other) => overlaps(other[crossAt], other[crossSize], box[crossAt], box[crossSize]))
  const endOf = (other: Rect): number => other[axis] + other[size]
  const before = row.filter((other) => endOf(other) <= box[axis] + tolerance).sort((a, b) => endOf(b) - endOf(a))
  const after = row.filter((other) => other[axis] >= endOf(box) - tolerance).sort((a, b) => a[axis] - b[axis])
  const [left, right] = [before[0], after[0]]
  const candidates: number[] = []
  if (left !== undefined && right !== undefined) candidates.push((endOf(left) + right[axis] - box[size]) / 2)
  const nextLeft = before.find((other) => left !== undefined && endOf(other) <= left[axis])
  if (left !== undefined && nextLeft !== undefined) candidates.push(endOf(left) + (left[axis] - endOf(nextLeft)))
  const nextRight = after.find((other) => right !== undefined && other[axis] >= endOf(right))
  if (right !== undefined && nextRight !== undefined)
    candidates.push(right[axis] - (nextRight[axis] - endOf(right)) - box[size])
  const target = candidates
    .filter((candidate) => Math.abs(candidate - box[axis]) <= tolerance)
    .sort((a, b) => Math.abs(a - box[axis]) - Math.abs(b - box[axis]))[0]
  if (target === undefined) return undefined
  const middle = box[crossAt] + box[crossSize] / 2
  const gap = (from: number, to: number): Guide => ({
    axis: axis === 'x' ? 'y' : 'x',
    at: middle,
    from,
    to,
    kind: 'gap',
  })
  const guides = [
    ...(left === undefined ? [] : [gap(endOf(left), target)]),
    ...(right === undefined ? [] : [gap(target + box[size], right[axis])]),
  ]
  return { by: target - box[axis], guides }
}

function overlaps(one: number, oneSize: number, other: number, otherSize: number): boolean {
  return one < other + otherSize && other < one + oneSize
}
