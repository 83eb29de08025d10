import { Checkbox, NativeSelect, TextField, useTexts } from '@platen/ui'
import { DecimalField } from '../../parts/form/decimal-field.tsx'
import type { DraftArea } from '../product/draft/draft.ts'

export interface AreaFieldsProps {
  area: DraftArea
  /** Whether designs may refer to the id, which therefore stays. */
  isSaved: boolean
  /** The place of the area in the product, as a JSON Pointer. */
  at: string
  /** Returns what is wrong with a member, such as `widthMm`. */
  errorAt(member: string): string | undefined
  onChange(changes: Partial<DraftArea>): void
}

const LENGTHS = [
  ['widthMm', 'consoleCatalogue.width'],
  ['heightMm', 'consoleCatalogue.height'],
  ['bleedMm', 'consoleCatalogue.bleed'],
  ['safeMarginMm', 'consoleCatalogue.safeMargin'],
] as const

const RESOLUTIONS = [
  ['targetDpi', 'consoleCatalogue.targetDpi'],
  ['minDpi', 'consoleCatalogue.minDpi'],
] as const

/** All measures of a print area as numbers. */
export function AreaFields({ area, isSaved, at, errorAt, onChange }: AreaFieldsProps) {
  const { text } = useTexts()
  return (
    <div className="form area-fields">
      <TextField
        label={text('consoleCatalogue.areaName')}
        value={area.name}
        maxLength={100}
        isRequired
        onChange={(name) => onChange({ name })}
        data-at={`${at}/name`}
        error={errorAt('name')}
      />
      <TextField
        label={text('consoleCatalogue.areaId')}
        description={text(isSaved ? 'consoleCatalogue.areaIdSaved' : 'consoleCatalogue.areaIdHelp')}
        value={area.id}
        maxLength={64}
        isRequired
        isReadOnly={isSaved}
        onChange={(id) => onChange({ id })}
        data-at={`${at}/id`}
        error={errorAt('id')}
      />
      <div className="pair">
        {LENGTHS.map(([member, label]) => (
          <DecimalField
            key={member}
            label={text(label)}
            decimals={3}
            unit="mm"
            isRequired
            value={area[member]}
            onChange={(mm) => onChange({ [member]: mm })}
            data-at={`${at}/${member}`}
            error={errorAt(member)}
          />
        ))}
      </div>
      <NativeSelect
        label={text('consoleCatalogue.shape')}
        choices={[{ id: 'ellipse', text: text('consoleCatalogue.ellipse') }]}
        value={area.shape === 'ellipse' ? 'ellipse' : ''}
        placeholder={text('consoleCatalogue.rectangle')}
        onChange={(shape) => onChange({ shape: shape === 'ellipse' ? 'ellipse' : 'rectangle' })}
        data-at={`${at}/shape`}
        error={errorAt('shape')}
      />
      <div className="pair">
        {RESOLUTIONS.map(([member, label]) => (
          <DecimalField
            key={member}
            label={text(label)}
            description={member === 'minDpi' ? text('consoleCatalogue.minDpiHelp') : undefined}
            decimals={0}
            step={10}
            min={1}
            unit="dpi"
            isRequired={member === 'targetDpi'}
            value={area[member]}
            onChange={(dpi) => onChange({ [member]: dpi })}
            data-at={`${at}/${member}`}
            error={errorAt(member)}
          />
        ))}
      </div>
      <Checkbox isSelected={area.required} onChange={(required) => onChange({ required })}>
        {text('consoleCatalogue.required')}
      </Checkbox>
      <Checkbox isSelected={area.cutPath === 'spot'} onChange={(isOn) => onChange({ cutPath: isOn ? 'spot' : 'none' })}>
        {text('consoleCatalogue.cutPath')}
      </Checkbox>
    </div>
  )
}
