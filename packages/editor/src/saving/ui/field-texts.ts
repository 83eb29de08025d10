import type { Translator } from '@platen/ui'
import type { EditorMessage } from '../../messages.ts'
import type { FieldConflict, LayerConflict } from '../merge/merge-types.ts'

/** The words for fields of layers. Fields with the same word are shown together. */
const LABELS: Readonly<Record<string, EditorMessage>> = {
  x: 'conflictPosition',
  y: 'conflictPosition',
  width: 'conflictSize',
  height: 'conflictSize',
  rotation: 'rotation',
  opacity: 'opacity',
  text: 'insertText',
  value: 'qrValue',
  fontFamily: 'font',
  fontSizePt: 'font',
  fontWeight: 'font',
  fontStyle: 'font',
  color: 'conflictColor',
  background: 'qrBackground',
  fill: 'fill',
  stroke: 'stroke',
  cornerRadius: 'cornerRadius',
  assetId: 'photo',
  crop: 'crop',
  fit: 'fit',
  align: 'paragraph',
  verticalAlign: 'paragraph',
  lineHeight: 'paragraph',
  letterSpacing: 'paragraph',
  name: 'layerName',
  printAreaId: 'sides',
}

export interface FieldTexts {
  /** The names of what differs. */
  names: string[]
  mine: string[]
  theirs: string[]
}

type Text = Translator<EditorMessage>['text']

/** Describes both sides of a conflict, one line for each thing that differs. */
export function describeConflict({ fields, mine, theirs }: LayerConflict, text: Text, locale: string): FieldTexts {
  const labels = [...new Set(fields.map((field) => LABELS[field] ?? 'look'))]
  const linesOf = (layer: object): string[] =>
    labels.map((label) => {
      const values = fields
        .filter((field) => (LABELS[field] ?? 'look') === label)
        .map((field) => valueText(field, (layer as Record<string, unknown>)[field], locale))
        .filter((value) => value !== '')
      return values.length === 0 ? text(label) : `${text(label)}: ${values.join(', ')}`
    })
  return { names: labels.map((label) => text(label)), mine: linesOf(mine), theirs: linesOf(theirs) }
}

export function describeField({ id, mine, theirs }: FieldConflict, text: Text): FieldTexts {
  const isName = id === '/name'
  const name = text(isName ? 'conflictName' : 'conflictVariant')
  return { names: [name], mine: isName ? [mine] : [], theirs: isName ? [theirs] : [] }
}

const LONGEST = 80

/** Writes a value that a customer knows. Ids and nested values say nothing. */
function valueText(field: string, value: unknown, locale: string): string {
  if (typeof value === 'number') {
    const options = field === 'opacity' ? ({ style: 'percent' } as const) : { maximumFractionDigits: 2 }
    return new Intl.NumberFormat(locale, options).format(value)
  }
  if (typeof value !== 'string' || /^[a-z]{3}_[0-9a-z]{26}$/.test(value)) return ''
  return value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value
}
