import type { Product } from '@platen/client'
import { type MessageKey, useTexts } from '@platen/ui'
import type { DraftArea } from '../product/draft/draft.ts'

type SavedArea = Product['printAreas'][number]

const MEASURES = [
  ['widthMm', 'consoleCatalogue.width'],
  ['heightMm', 'consoleCatalogue.height'],
  ['bleedMm', 'consoleCatalogue.bleed'],
  ['safeMarginMm', 'consoleCatalogue.safeMargin'],
] as const satisfies readonly (readonly [keyof SavedArea, MessageKey])[]

/** States how areas differ from the saved ones, as far as drafts of customers depend on it. */
export function useChangeNotes(saved: readonly SavedArea[] | undefined, areas: readonly DraftArea[]): string[] {
  const { text, formats } = useTexts()
  const inMm = (mm: number): string =>
    formats.number(mm, { style: 'unit', unit: 'millimeter', maximumFractionDigits: 3 })
  return (saved ?? []).flatMap((before) => {
    const after = areas.find(({ id }) => id === before.id)
    const { name } = before
    if (after === undefined) return [text('consoleCatalogue.areaGone', { name })]
    const changes = MEASURES.flatMap(([member, label]) => {
      const mm = after[member]
      return mm === undefined || mm === before[member] ? [] : [`${text(label)} ${inMm(before[member])} → ${inMm(mm)}`]
    })
    if ((after.shape ?? 'rectangle') !== (before.shape ?? 'rectangle'))
      changes.push(text('consoleCatalogue.shapeChanged'))
    return changes.length === 0 ? [] : [`${name}: ${changes.join(', ')}`]
  })
}
