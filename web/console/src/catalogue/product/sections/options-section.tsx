import { Button, Icon, IconButton, TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { Section } from '../../../parts/page/section.tsx'
import { type DraftOption, type DraftValue, newKey } from '../draft/draft.ts'
import { type DraftProps, useErrorAt } from '../draft/draft-props.ts'
import {
  addOption,
  addValue,
  changeOption,
  countCombinations,
  hasRoomForValue,
  MOST_VARIANTS,
  removeOption,
  removeValue,
} from '../draft/variants.ts'
import { MissingVariants } from './missing-variants.tsx'

const MOST_OPTIONS = 10
const MOST_VALUES = 100

/** What customers choose, such as a size. Each combination of values is a variant. */
export function OptionsSection({ state }: DraftProps) {
  const { text } = useTexts()
  const { draft, set } = state
  const isTooMuch = countCombinations(draft.options) > MOST_VARIANTS
  const hasRoom = draft.options.every((option) => hasRoomForValue(draft, option))
  return (
    <Section title={text('consoleCatalogue.options')}>
      <p className="note">{text('consoleCatalogue.optionsHelp')}</p>
      <ul className="options">
        {draft.options.map((option, index) => (
          <OptionFields key={option.key} state={state} option={option} index={index} />
        ))}
      </ul>
      <div className="actions">
        <Button isDisabled={draft.options.length >= MOST_OPTIONS} onPress={() => set(addOption(draft))}>
          <Icon name="plus" size={18} />
          {text('consoleCatalogue.addOption')}
        </Button>
      </div>
      {isTooMuch ? null : <MissingVariants state={state} />}
      {isTooMuch || !hasRoom ? (
        <p className="note">{text('consoleCatalogue.tooManyVariants', { count: MOST_VARIANTS })}</p>
      ) : null}
    </Section>
  )
}

interface OptionFieldsProps extends DraftProps {
  option: DraftOption
  index: number
}

function OptionFields({ state, option, index }: OptionFieldsProps) {
  const { text } = useTexts()
  const errorAt = useErrorAt(state)
  const { draft, set, product } = state
  const { key, name, values } = option
  const [added, setAdded] = useState<string>()
  const shownName = text('consoleCatalogue.newOption', { number: index + 1 })
  const changeValues = (next: readonly DraftValue[]): void =>
    set(changeOption(draft.options, { ...option, values: next }))
  const isFull = values.length >= MOST_VALUES || (product === undefined && !hasRoomForValue(draft, option))
  const add = (): void => {
    const value = { key: newKey(), value: '' }
    setAdded(value.key)
    if (product === undefined) set(addValue(draft, option, value))
    else changeValues([...values, value])
  }
  return (
    <li className="option">
      <div className="option-head">
        <TextField
          label={text('consoleCatalogue.optionName', { number: index + 1 })}
          placeholder={text('consoleCatalogue.optionExample')}
          isRequired
          value={name}
          maxLength={50}
          onChange={(next) => set(changeOption(draft.options, { ...option, name: next }))}
          data-at={`/options/${index}/name`}
          error={errorAt(`/options/${index}/name`)}
        />
        <IconButton
          icon="trash"
          label={text('consoleCatalogue.removeOption', { name: name || shownName })}
          onPress={() => set(removeOption(draft, key))}
        />
      </div>
      <ul className="values">
        {values.map((one, at) => (
          <li key={one.key}>
            <TextField
              label={text('consoleCatalogue.valueOf', { name: name || shownName, number: at + 1 })}
              placeholder={text('consoleCatalogue.newValue', { number: at + 1 })}
              isRequired
              className="bare"
              value={one.value}
              maxLength={50}
              autoFocus={one.key === added}
              onKeyDown={(event) => {
                const isNext = event.key === 'Enter' && at === values.length - 1 && one.value !== '' && !isFull
                if (!isNext || event.nativeEvent.isComposing) return event.continuePropagation()
                event.preventDefault()
                add()
              }}
              onChange={(next) =>
                changeValues(values.map((known) => (known === one ? { ...one, value: next } : known)))
              }
              data-at={`/options/${index}/values/${at}`}
              error={
                errorAt(`/options/${index}/values/${at}`) ??
                (at === 0 ? errorAt(`/options/${index}/values`) : undefined)
              }
            />
            <IconButton
              icon="close"
              label={text('consoleCatalogue.removeValue', {
                value: one.value || text('consoleCatalogue.newValue', { number: at + 1 }),
              })}
              isDisabled={values.length === 1}
              onPress={() => set(removeValue(draft, option, one.key))}
            />
          </li>
        ))}
        <li>
          <Button look="quiet" isDisabled={isFull} onPress={add}>
            <Icon name="plus" size={18} />
            {text('consoleCatalogue.addValue')}
          </Button>
        </li>
      </ul>
    </li>
  )
}
