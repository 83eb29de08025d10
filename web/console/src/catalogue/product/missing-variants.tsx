import { Button, Checkbox, useTexts } from '@platen/ui'
import { type DraftProps, useErrorAt } from './draft-props.ts'
import { wantedCombinations } from './find-faults.ts'
import { variantName } from './variant-name.ts'
import { addMissing, combinationKey, missingCombinations } from './variants.ts'

/** The combinations that have no variant. All of them become variants, except those that are deselected. */
export function MissingVariants({ state }: DraftProps) {
  const { draft, set, unwanted, setUnwanted } = state
  const error = useErrorAt(state)('/variants')
  const { text } = useTexts()
  const missing = missingCombinations(draft)
  if (missing.length === 0) return null
  const wanted = wantedCombinations(draft, unwanted)
  return (
    <fieldset className="missing-variants" data-at="/variants">
      <legend>{text('consoleCatalogue.missingVariants')}</legend>
      {error === undefined || wanted.length === 0 ? null : <p className="pl-field-error">{error}</p>}
      <div className="missing-list">
        {missing.map((chosen) => {
          const key = combinationKey(chosen, draft.options)
          return (
            <Checkbox
              key={key}
              isSelected={!unwanted.has(key)}
              onChange={(isWanted) =>
                setUnwanted(new Set([...unwanted].filter((one) => one !== key).concat(isWanted ? [] : [key])))
              }
            >
              {variantName({ chosen }, draft.options, '')}
            </Checkbox>
          )
        })}
      </div>
      <Button
        look="primary"
        isDisabled={wanted.length === 0}
        onPress={() => set({ variants: addMissing(draft, wanted) })}
      >
        {text('consoleCatalogue.addMissing', { count: wanted.length })}
      </Button>
    </fieldset>
  )
}
