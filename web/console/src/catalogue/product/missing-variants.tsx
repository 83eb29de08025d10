import { Button, Checkbox, useTexts } from '@platen/ui'
import { useState } from 'react'
import type { DraftProps } from './draft-props.ts'
import { variantName } from './variant-name.ts'
import { addMissing, combinationKey, missingCombinations } from './variants.ts'

/** The combinations that have no variant. All of them become variants, except those that are deselected. */
export function MissingVariants({ state: { draft, set } }: DraftProps) {
  const { text } = useTexts()
  const [unwanted, setUnwanted] = useState<ReadonlySet<string>>(new Set())
  const missing = missingCombinations(draft)
  if (missing.length === 0) return null
  const wanted = missing.filter((chosen) => !unwanted.has(combinationKey(chosen, draft.options)))
  return (
    <fieldset className="missing-variants">
      <legend>{text('consoleCatalogue.missingVariants')}</legend>
      <div className="missing-list">
        {missing.map((chosen) => {
          const key = combinationKey(chosen, draft.options)
          return (
            <Checkbox
              key={key}
              isSelected={!unwanted.has(key)}
              onChange={(isWanted) =>
                setUnwanted((before) => new Set([...before].filter((one) => one !== key).concat(isWanted ? [] : [key])))
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
