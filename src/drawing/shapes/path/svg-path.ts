import { DOCUMENT_LIMITS } from '../../document/schema/limits.ts'
import { createTextCache } from '../../text-cache.ts'
import type { PathStep } from './path-step.ts'
import { arcToCurves } from './svg-arc.ts'

export type ParsedPath = { ok: true; steps: readonly PathStep[] } | { ok: false; offset: number; reason: string }

/**
 * Larger coordinates are rejected: they exceed every print area, and products of them would exceed the range of floats.
 */
const MAX_COORDINATE = 1e6

/**
 * Parses SVG path data by the grammar of SVG 2, section 9.3.9. A browser draws up to the first fault. This function
 * rejects faulty data completely, so that half a shape is never printed. Never throws; takes linear time. Calls share
 * the result: do not change it.
 */
export function parsePath(data: string): ParsedPath {
  const known = parsedPaths.get(data)
  if (known !== undefined) return known
  const parsed = parse(data)
  parsedPaths.set(data, parsed)
  return parsed
}

// The parsed paths are cached, because checks, measuring and drawing all need them.
const parsedPaths = createTextCache<ParsedPath>(DOCUMENT_LIMITS.totalPathLength)

function parse(data: string): ParsedPath {
  const scanner = createScanner(data)
  const pen: Pen = { x: 0, y: 0, startX: 0, startY: 0, control: undefined, steps: [] }
  try {
    let command = scanner.command()
    if (command === undefined) throw new PathFault('the data is empty', scanner.offset())
    if (command.toUpperCase() !== 'M') throw new PathFault('the data must begin with M or m', 0)
    while (command !== undefined) {
      runCommand(command, scanner, pen)
      command = scanner.command()
    }
    return { ok: true, steps: pen.steps }
  } catch (error) {
    if (error instanceof PathFault) return { ok: false, offset: error.offset, reason: error.message }
    throw error
  }
}

class PathFault extends Error {
  readonly offset: number
  constructor(reason: string, offset: number) {
    super(reason)
    this.offset = offset
  }
}

interface Pen {
  x: number
  y: number
  startX: number
  startY: number
  /** The last control point, which the commands S and T mirror, and the kind of its curve. */
  control: { x: number; y: number; kind: 'cubic' | 'quadratic' } | undefined
  steps: PathStep[]
}

interface Scanner {
  /** Returns the next command letter, or undefined at the end. */
  command(): string | undefined
  number(separated: boolean): number
  flag(): boolean
  hasMore(): boolean
  offset(): number
}

function createScanner(data: string): Scanner {
  const BLANKS = /[ \t\n\f\r]*/y
  const SEPARATOR = /[ \t\n\f\r]*,?[ \t\n\f\r]*/y
  const COMMAND = /[MmZzLlHhVvCcSsQqTtAa]/y
  const NUMBER = /[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?/y
  const FLAG = /[01]/y
  let at = 0
  const take = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at
    const found = pattern.exec(data)?.[0]
    if (found !== undefined) at += found.length
    return found
  }
  return {
    command() {
      take(BLANKS)
      if (at >= data.length) return undefined
      const letter = take(COMMAND)
      if (letter === undefined) throw new PathFault('expected a command', at)
      return letter
    },
    number(separated) {
      take(separated ? SEPARATOR : BLANKS)
      const text = take(NUMBER)
      if (text === undefined) throw new PathFault('expected a number', at)
      const value = Number(text)
      if (!(Math.abs(value) <= MAX_COORDINATE)) throw new PathFault('number out of range', at)
      return value
    },
    flag() {
      take(SEPARATOR)
      const text = take(FLAG)
      if (text === undefined) throw new PathFault('expected 0 or 1', at)
      return text === '1'
    },
    hasMore() {
      const before = at
      take(SEPARATOR)
      NUMBER.lastIndex = at
      const more = NUMBER.test(data)
      at = before
      return more
    },
    offset: () => at,
  }
}

function runCommand(letter: string, scanner: Scanner, pen: Pen): void {
  let command = letter
  if (command.toUpperCase() === 'Z') {
    closePath(pen)
    return
  }
  let separated = false
  do {
    runOnce(command, scanner, pen, separated)
    if (!inRange(pen.x) || !inRange(pen.y)) throw new PathFault('position out of range', scanner.offset())
    // After a move, further pairs of coordinates are lines.
    if (command === 'M') command = 'L'
    if (command === 'm') command = 'l'
    separated = true
  } while (scanner.hasMore())
}

function inRange(coordinate: number): boolean {
  return Math.abs(coordinate) <= MAX_COORDINATE
}

function closePath(pen: Pen): void {
  pen.steps.push({ type: 'close' })
  pen.x = pen.startX
  pen.y = pen.startY
  pen.control = undefined
}

function runOnce(command: string, scanner: Scanner, pen: Pen, separated: boolean): void {
  const relative = command === command.toLowerCase()
  const fromX = relative ? pen.x : 0
  const fromY = relative ? pen.y : 0
  const point = (after: boolean) => ({ x: fromX + scanner.number(after), y: fromY + scanner.number(true) })
  switch (command.toUpperCase()) {
    case 'M':
      moveTo(pen, point(separated))
      return
    case 'L':
      lineTo(pen, point(separated))
      return
    case 'H':
      lineTo(pen, { x: fromX + scanner.number(separated), y: pen.y })
      return
    case 'V':
      lineTo(pen, { x: pen.x, y: fromY + scanner.number(separated) })
      return
    case 'C':
      cubicTo(pen, point(separated), point(true), point(true))
      return
    case 'S':
      cubicTo(pen, mirrored(pen, 'cubic'), point(separated), point(true))
      return
    case 'Q':
      quadraticTo(pen, point(separated), point(true))
      return
    case 'T':
      quadraticTo(pen, mirrored(pen, 'quadratic'), point(separated))
      return
    default: {
      const radiusX = scanner.number(separated)
      const radiusY = scanner.number(true)
      const rotation = scanner.number(true)
      const large = scanner.flag()
      const sweep = scanner.flag()
      const to = point(true)
      for (const curve of arcToCurves(pen, to, { radiusX, radiusY, rotation, large, sweep })) pen.steps.push(curve)
      finish(pen, to, undefined)
    }
  }
}

type At = { x: number; y: number }

function moveTo(pen: Pen, to: At): void {
  pen.steps.push({ type: 'move', ...to })
  pen.startX = to.x
  pen.startY = to.y
  finish(pen, to, undefined)
}

function lineTo(pen: Pen, to: At): void {
  pen.steps.push({ type: 'line', ...to })
  finish(pen, to, undefined)
}

function cubicTo(pen: Pen, first: At, second: At, to: At): void {
  pen.steps.push({ type: 'curve', x1: first.x, y1: first.y, x2: second.x, y2: second.y, ...to })
  finish(pen, to, { ...second, kind: 'cubic' })
}

function quadraticTo(pen: Pen, control: At, to: At): void {
  // A quadratic curve equals the cubic curve whose control points lie two thirds of the way to the quadratic control
  // point.
  pen.steps.push({
    type: 'curve',
    x1: pen.x + (2 / 3) * (control.x - pen.x),
    y1: pen.y + (2 / 3) * (control.y - pen.y),
    x2: to.x + (2 / 3) * (control.x - to.x),
    y2: to.y + (2 / 3) * (control.y - to.y),
    ...to,
  })
  finish(pen, to, { ...control, kind: 'quadratic' })
}

function mirrored(pen: Pen, kind: 'cubic' | 'quadratic'): At {
  const { control } = pen
  if (control?.kind !== kind) return { x: pen.x, y: pen.y }
  return { x: 2 * pen.x - control.x, y: 2 * pen.y - control.y }
}

function finish(pen: Pen, { x, y }: At, control: Pen['control']): void {
  pen.x = x
  pen.y = y
  pen.control = control
}

/**
 * Returns points whose convex hull encloses everything that a path draws. Curves stay in the convex hull of their
 * control points.
 */
export function hullOf(steps: readonly PathStep[]): At[] {
  return steps.flatMap((step): At[] => {
    if (step.type === 'close') return []
    const end = { x: step.x, y: step.y }
    return step.type === 'curve' ? [{ x: step.x1, y: step.y1 }, { x: step.x2, y: step.y2 }, end] : [end]
  })
}
