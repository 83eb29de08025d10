import { Button, Icon, IconButton, TextField, useTexts } from '@platen/ui'
import { Section } from '../../parts/section.tsx'
import { type DraftOption, type DraftValue, newKey } from './draft.ts'
import { type DraftProps, useErrorAt } from './draft-props.ts'
import { MissingVariants } from './missing-variants.tsx'
import { addOption, changeOption, countCombinations, MOST_VARIANTS, removeOption, removeValue } from './variants.ts'

const MOST_OPTIONS = 10
const MOST_VALUES = 100

/** What customers choose, such as a size. Each combination of values is a variant. */
export function OptionsSection({ state }: DraftProps) {
  const { text } = useTexts()
  const { draft, set } = state
  const isTooMuch = countCombinations(draft.options) > MOST_VARIANTS
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
      {isTooMuch ? <p className="note">{text('consoleCatalogue.tooManyVariants', { count: MOST_VARIANTS })}</p> : null}
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
  const { draft, set } = state
  const { key, name, values } = option
  const shownName = text('consoleCatalogue.newOption', { number: index + 1 })
  const changeValues = (next: readonly DraftValue[]): void =>
    set(changeOption(draft.options, { ...option, values: next }))
  return (
    <li className="option">
      <div className="option-head">
        <TextField
          label={text('consoleCatalogue.optionName', { number: index + 1 })}
          placeholder={shownName}
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
          <Button
            look="quiet"
            isDisabled={values.length >= MOST_VALUES}
            onPress={() => changeValues([...values, { key: newKey(), value: '' }])}
          >
            <Icon name="plus" size={18} />
            {text('consoleCatalogue.addValue')}
          </Button>
        </li>
      </ul>
    </li>
  )
}
