import { Button, Checkbox, useTexts } from '@platen/ui'
import { useRef } from 'react'
import { flushSync } from 'react-dom'
import type { DraftVariant } from '../draft/draft.ts'
import { type DraftProps, useErrorAt } from '../draft/draft-props.ts'
import { wantedCombinations } from '../draft/find-faults.ts'
import { focusPlace } from '../draft/focus-place.ts'
import { useVariantName } from '../draft/variant-name.ts'
import { addMissing, combinationKey, missingCombinations } from '../draft/variants.ts'

/**
 * The combinations that have no variant. In a new product, each becomes a variant when it is ticked. What is added to a
 * product in the shop is on sale once it is saved, so there a button makes the variants of all that are ticked.
 */
export function MissingVariants({ state }: DraftProps) {
  const { draft, set, unwanted, setUnwanted } = state
  const { text } = useTexts()
  const box = useRef<HTMLFieldSetElement>(null)
  const error = useErrorAt(state)('/variants')
  const isRefused = state.faults.some(({ code }) => code === 'variants_missing')
  const nameOf = useVariantName(draft.options)
  const missing = missingCombinations(draft)
  if (missing.length === 0) return null
  const isNew = unwanted === undefined
  const wanted = isNew ? [] : wantedCombinations(draft, unwanted)
  const add = (chosen: DraftVariant['chosen']): void => {
    const { form } = box.current ?? {}
    const variants = addMissing(draft, [chosen])
    flushSync(() => set({ variants }))
    // The box that had the focus is gone.
    const boxes = [...(box.current?.querySelectorAll('input') ?? [])]
    const next = boxes[missing.indexOf(chosen)] ?? boxes.at(-1)
    const made = variants.findIndex((variant) => !draft.variants.includes(variant))
    if (next !== undefined) next.focus()
    else if (form != null) focusPlace(form, `/variants/${made}/sku`)
  }
  const choose = (chosen: DraftVariant['chosen'], isWanted: boolean): void => {
    if (isNew) {
      add(chosen)
      return
    }
    const key = combinationKey(chosen, draft.options)
    setUnwanted(new Set([...unwanted].filter((one) => one !== key).concat(isWanted ? [] : [key])))
  }
  return (
    <fieldset className="missing-variants" ref={box} data-at="/variants">
      <legend>{text(isNew ? 'consoleCatalogue.notSold' : 'consoleCatalogue.missingVariants')}</legend>
      {isNew ? <p className="note">{text('consoleCatalogue.notSoldHelp')}</p> : null}
      {isRefused ? <p className="pl-field-error">{error}</p> : null}
      <div className="missing-list">
        {missing.map((chosen) => {
          const key = combinationKey(chosen, draft.options)
          return (
            <Checkbox
              key={key}
              isSelected={unwanted?.has(key) === false}
              onChange={(isWanted) => choose(chosen, isWanted)}
            >
              {nameOf({ chosen })}
            </Checkbox>
          )
        })}
      </div>
      {isNew ? null : (
        <Button
          look="primary"
          isDisabled={wanted.length === 0}
          onPress={() => set({ variants: addMissing(draft, wanted) })}
        >
          {text('consoleCatalogue.addMissing', { count: wanted.length })}
        </Button>
      )}
    </fieldset>
  )
}
