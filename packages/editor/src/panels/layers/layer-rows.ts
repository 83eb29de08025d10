import type { EditorLayer } from '../../document/layers.ts'

/** A row in the list of layers: a layer, or the heading of a group. */
export interface LayerRow {
  key: string
  kind: 'layer' | 'group'
  /** One layer, or all of the group, bottom to top. */
  layers: readonly EditorLayer[]
  isInGroup: boolean
}

/** Returns the rows of a list, top to bottom. Layers of a group that lie together have a heading. */
export function rowsOf(layers: readonly EditorLayer[]): LayerRow[] {
  const rows: LayerRow[] = []
  const headings = new Map<string, number>()
  let group: string | undefined
  for (const layer of layers.toReversed()) {
    if (layer.group !== undefined && layer.group !== group) {
      const members = layers.filter((other) => other.group === layer.group)
      // Other layers may lie between those of a group, which then has several headings.
      const count = (headings.get(layer.group) ?? 0) + 1
      headings.set(layer.group, count)
      const key = `group ${layer.group} ${count}`
      rows.push({ key, kind: 'group', layers: members, isInGroup: false })
    }
    group = layer.group
    rows.push({ key: layer.id, kind: 'layer', layers: [layer], isInGroup: group !== undefined })
  }
  return rows
}

/** Moves a gap between two layers of one group to the heading of the group, so that drops leave groups together. */
export function gapOutsideGroups(rows: readonly LayerRow[], gap: number, movedIds: readonly string[]): number {
  const group = rows[gap]?.layers[0]?.group
  const isInside = rows[gap]?.kind === 'layer' && group !== undefined
  const isOwn = rows.some(({ layers }) => layers.some((one) => one.group === group && movedIds.includes(one.id)))
  if (!isInside || isOwn) return gap
  return rows.slice(0, gap).findLastIndex(({ kind }) => kind === 'group')
}

/**
 * Returns where layers are put that are dropped into a gap between rows, in the form that `placeLayers` takes.
 *
 * @param gap 0 is the gap above the first row
 */
export function indexAtGap(rows: readonly LayerRow[], gap: number, movedIds: readonly string[]): number {
  return rows.slice(gap).filter(({ kind, layers: [layer] }) => kind === 'layer' && !movedIds.includes(layer?.id ?? ''))
    .length
}
