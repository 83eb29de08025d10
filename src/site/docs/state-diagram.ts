import { escapeHtml } from '../html.ts'

/** Rows are states, cells say where an event leads. A target that is no state means: back to the state before. */
export type Transitions = Readonly<Record<string, Readonly<Partial<Record<string, string>>>>>

interface Edge {
  from: number
  to: number
  label: string
}

const BOX = { width: 150, height: 34, step: 78 }
const LANE = 84
const TOP = 12

/**
 * Draws a state machine as SVG: the states from top to bottom, transitions to later states on the right, and to
 * earlier ones on the left. The list of transitions below the drawing is its text alternative.
 */
export function stateDiagram(name: string, transitions: Transitions): string {
  const states = Object.keys(transitions)
  const edges = edgesOf(states, transitions)
  const isStraight = ({ from, to }: Edge) => to === from + 1
  const right = inLanes(edges.filter((edge) => edge.to >= edge.from && !isStraight(edge)))
  const left = inLanes(edges.filter((edge) => edge.to < edge.from))
  const width = BOX.width + LANE * (lanesOf(left) + Math.max(1, lanesOf(right))) + 24
  const x = 12 + LANE * lanesOf(left)
  const height = TOP * 2 + BOX.step * (states.length - 1) + BOX.height
  const id = `diagram-${name.toLowerCase().replaceAll(/\W+/g, '-')}`
  const parts = [
    ...edges.filter(isStraight).map((edge) => straight(edge, x)),
    ...right.map(([edge, lane]) => arc(edge, x + BOX.width, lane + 1, 1)),
    ...left.map(([edge, lane]) => arc(edge, x, lane + 1, -1)),
    ...states.map((state, index) => box(state, index, x, Object.keys(transitions[state] ?? {}).length === 0)),
  ]
  return `<div class="diagram" tabindex="0" role="region" aria-label="Diagram of ${escapeHtml(name)}">
<svg role="img" aria-labelledby="${id}" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><title id="${id}">States of ${escapeHtml(name)}; the list below has the same content</title>${parts.join('')}</svg></div>
${textAlternative(states, edges)}`
}

/** Joins the events between the same two states, so that the drawing has one line for them. */
function edgesOf(states: readonly string[], transitions: Transitions): Edge[] {
  const labels = new Map<string, string[]>()
  for (const [from, row] of Object.entries(transitions)) {
    for (const [event, target = ''] of Object.entries(row)) {
      for (const to of targetsOf(target, from, transitions)) {
        const key = `${states.indexOf(from)} ${states.indexOf(to)}`
        labels.set(key, [...(labels.get(key) ?? []), event])
      }
    }
  }
  return [...labels].map(([key, events]) => {
    const [from = 0, to = 0] = key.split(' ').map(Number)
    return { from, to, label: events.join(', ') }
  })
}

function targetsOf(target: string, from: string, transitions: Transitions): string[] {
  if (target in transitions) return [target]
  return Object.keys(transitions).filter((state) => Object.values(transitions[state] ?? {}).includes(from))
}

/** Gives each edge the first lane in which it crosses no other. */
function inLanes(edges: readonly Edge[]): [Edge, number][] {
  const lanes: Edge[][] = []
  const bySpan = edges.toSorted((a, b) => Math.abs(a.to - a.from) - Math.abs(b.to - b.from))
  return bySpan.map((edge) => {
    let lane = lanes.findIndex((others) => others.every((other) => !overlaps(edge, other)))
    if (lane === -1) lane = lanes.push([]) - 1
    lanes[lane]?.push(edge)
    return [edge, lane]
  })
}

function overlaps(a: Edge, b: Edge): boolean {
  return Math.min(a.from, a.to) <= Math.max(b.from, b.to) && Math.min(b.from, b.to) <= Math.max(a.from, a.to)
}

const lanesOf = (placed: readonly [Edge, number][]): number => Math.max(0, ...placed.map(([, lane]) => lane + 1))
const middleOf = (index: number): number => TOP + index * BOX.step + BOX.height / 2

function box(state: string, index: number, x: number, isEnd: boolean): string {
  const y = TOP + index * BOX.step
  return `<g${isEnd ? ' class="end"' : ''}><rect x="${x}" y="${y}" width="${BOX.width}" height="${BOX.height}" rx="8"/><text x="${x + BOX.width / 2}" y="${y + 22}" text-anchor="middle">${escapeHtml(state)}</text></g>`
}

function straight({ from, label }: Edge, x: number): string {
  const center = x + BOX.width / 2
  const begin = middleOf(from) + BOX.height / 2
  const end = middleOf(from + 1) - BOX.height / 2
  return `<path d="M${center} ${begin}V${end - 6}"/><path class="head" d="M${center - 5} ${end - 8}h10l-5 8z"/><text class="event" x="${center + 10}" y="${(begin + end) / 2 + 4}">${escapeHtml(label)}</text>`
}

/** @param side 1 for the right side of the boxes, -1 for the left one */
function arc({ from, to, label }: Edge, x: number, lane: number, side: 1 | -1): string {
  const bend = x + side * (lane * LANE - 64)
  // Lines that leave and lines that arrive meet a box at different heights.
  const begin = middleOf(from) + 7
  const end = middleOf(to) - 7
  const toHead = `${x + side * 8}`
  // The label of an event that leads back to its own state stands above the lines that leave the state.
  const labelAt = from === to ? end + 2 : (begin + end) / 2 + 4
  const text = `<text class="event" x="${bend + side * 6}" y="${labelAt}" text-anchor="${side === 1 ? 'start' : 'end'}">${escapeHtml(label)}</text>`
  return `<path d="M${x} ${begin}H${bend}V${end}H${toHead}"/><path class="head" d="M${x} ${end}l${side * 8} -5v10z"/>${text}`
}

function textAlternative(states: readonly string[], edges: readonly Edge[]): string {
  const items = states.map((state, index) => {
    const out = edges.filter(({ from }) => from === index)
    const code = (text: string) => `<code>${escapeHtml(text)}</code>`
    const leads = out.map(({ to, label }) => `${code(label)} leads to ${code(states[to] ?? '')}`)
    return `<li>${code(state)}: ${leads.length === 0 ? 'final' : leads.join('; ')}</li>`
  })
  return `<ul>${items.join('')}</ul>`
}
