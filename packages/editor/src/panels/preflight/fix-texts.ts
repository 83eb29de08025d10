import type { IssueCode, PreflightIssue } from '@platen/drawing'
import type { EditorLayer } from '../../document/layers.ts'
import type { EditorMessage } from '../../messages.ts'
import { amount, type Text } from './issue-texts.ts'

/** The fields of the layer that a fix changes, with their new values. */
type Changes = Readonly<Record<string, unknown>>

/** Says what the fix of an issue does, such as "Move inside the safe margin". */
export function fixText(issue: PreflightIssue, layer: EditorLayer, text: Text, locale: string): string {
  const changes: Changes = Object.fromEntries((issue.fix ?? []).map(({ path, value }) => [fieldOf(path), value]))
  const { code, limit, unit } = issue
  if (code === 'line_too_thin') return text('fixLine', { width: amount(limit, unit, locale) })
  if ('fontFamily' in changes) return text('fixFont', { font: String(changes['fontFamily']) })
  if ('errorCorrection' in changes) return text('fixCorrection')
  if ('color' in changes || 'background' in changes) return text(colorsOf(changes))
  return sizeText(changes, layer, text, locale) ?? boxText(code, changes, layer, text, locale)
}

/** Paths are `/placements/0/layers/0/field`, with another key for fields of strokes. */
function fieldOf(path: string): string {
  return path.split('/').slice(5).join('/')
}

function colorsOf(changes: Changes): EditorMessage {
  if (!('background' in changes)) return 'fixDark'
  return 'color' in changes ? 'fixDarkOnLight' : 'fixLight'
}

function sizeText({ fontSizePt }: Changes, layer: EditorLayer, text: Text, locale: string): string | undefined {
  if (typeof fontSizePt !== 'number' || layer.type !== 'text') return undefined
  return text(fontSizePt > layer.fontSizePt ? 'fixLarger' : 'fixSmaller', { size: amount(fontSizePt, 'pt', locale) })
}

const MOVES: Partial<Readonly<Record<IssueCode, EditorMessage>>> = {
  outside_safe_area: 'fixMoveToSafety',
  layer_outside_print_area: 'fixMoveOntoPage',
  bleed_missing: 'fixMoveFromEdge',
}

function boxText(code: IssueCode, changes: Changes, layer: EditorLayer, text: Text, locale: string): string {
  const { width = layer.width, height = layer.height } = changes
  if (typeof width !== 'number' || typeof height !== 'number') return text('fix')
  if (width === layer.width && height === layer.height) return text(MOVES[code] ?? 'fixMove')
  if (code === 'bleed_missing' && width >= layer.width && height >= layer.height) return text('fixExtend')
  if (code === 'text_overflow') return text('fixEnlargeBox')
  const size = `${number(width, locale)} × ${amount(roundTenths(height), 'mm', locale)}`
  return text(width * height > layer.width * layer.height ? 'fixLarger' : 'fixSmaller', { size })
}

function number(mm: number, locale: string): string {
  return new Intl.NumberFormat(locale).format(roundTenths(mm))
}

function roundTenths(mm: number): number {
  return Math.round(mm * 10) / 10
}
