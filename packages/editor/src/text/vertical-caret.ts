import type { TextFlow } from '../engine/index.ts'

interface Key {
  key: string
  ctrlKey: boolean
  metaKey: boolean
  altKey: boolean
}

interface Caret {
  focus: number
  /** The horizontal position that movements up and down return to after shorter lines. */
  wantedX: number | undefined
}

/**
 * Finds where a key moves the caret that acts on lines. The text field breaks lines elsewhere than the canvas, so it
 * cannot move the caret itself. Returns undefined for other keys.
 */
export function verticalTarget(
  flow: TextFlow,
  { key, ctrlKey, metaKey, altKey }: Key,
  { focus, wantedX }: Caret,
): { index: number; wantedX: number | undefined } | undefined {
  if (ctrlKey || metaKey || altKey) return undefined
  const here = flow.caretOf(focus)
  const line = flow.stops.filter(({ lineIndex }) => lineIndex === here.lineIndex)
  if (key === 'Home') return { index: Math.min(...line.map(({ index }) => index)), wantedX: undefined }
  if (key === 'End') return { index: Math.max(...line.map(({ index }) => index)), wantedX: undefined }
  if (key !== 'ArrowUp' && key !== 'ArrowDown') return undefined
  const target = here.lineIndex + (key === 'ArrowUp' ? -1 : 1)
  const x = wantedX ?? here.xPt
  const stops = flow.stops.filter(({ lineIndex }) => lineIndex === target)
  const nearest = stops.sort((a, b) => Math.abs(a.xPt - x) - Math.abs(b.xPt - x))[0]
  if (nearest !== undefined) return { index: nearest.index, wantedX: x }
  const indexes = flow.stops.map(({ index }) => index)
  return { index: key === 'ArrowUp' ? Math.min(...indexes) : Math.max(...indexes), wantedX: undefined }
}
