import { Checkbox, IconButton, TextField, useTexts } from '@platen/ui'
import { DecimalField } from '../../../parts/form/decimal-field.tsx'
import { Section } from '../../../parts/page/section.tsx'
import type { DraftVariant } from '../draft/draft.ts'
import { type DraftProps, useErrorAt } from '../draft/draft-props.ts'
import { useVariantName } from '../draft/variant-name.ts'

/** What can be ordered: SKU, weight and availability of each variant. */
export function VariantsSection({ state }: DraftProps) {
  const { text } = useTexts()
  const errorAt = useErrorAt(state)
  const { variants, options } = state.draft
  const isMissing = state.faults.some(({ code }) => code === 'variants_missing')
  const error = isMissing ? undefined : errorAt('/variants')
  return (
    <Section title={text('consoleCatalogue.variants', { count: variants.length })}>
      <p className="note">{text('consoleCatalogue.skuHelp')}</p>
      {error === undefined ? null : <p className="pl-field-error">{error}</p>}
      <div className="variant-box">
        <table className="variant-table" aria-label={text('consoleCatalogue.variantTable')}>
          <thead>
            <tr>
              {options.length === 0 ? null : <th scope="col">{text('consoleCatalogue.variant')}</th>}
              <th scope="col" className="required">
                {text('consoleCatalogue.sku')}
              </th>
              <th scope="col" className="required">
                {text('consoleCatalogue.weight')}
              </th>
              <th scope="col">{text('consoleCatalogue.available')}</th>
              <th scope="col">
                <span className="visually-hidden">{text('consoleCatalogue.remove')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {variants.map((variant, index) => (
              <VariantRow key={variant.key} state={state} variant={variant} index={index} />
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  )
}

interface VariantRowProps extends DraftProps {
  variant: DraftVariant
  index: number
}

function VariantRow({ state, variant, index }: VariantRowProps) {
  const { text } = useTexts()
  const errorAt = useErrorAt(state)
  const { draft, set, faults } = state
  const { variants, options } = draft
  const name = useVariantName(options)(variant)
  const isOnly = options.length === 0
  const change = (changes: Partial<DraftVariant>): void =>
    set({ variants: variants.map((one) => (one === variant ? { ...variant, ...changes } : one)) })
  const wrongChoice = faults.find(({ pointer = '' }) => pointer.startsWith(`/variants/${index}/options`))?.pointer
  return (
    <tr data-at={`/variants/${index}`}>
      {isOnly ? null : (
        <th scope="row">
          {name}
          {wrongChoice === undefined ? null : <span className="pl-field-error">{errorAt(wrongChoice)}</span>}
        </th>
      )}
      <td className="variant-sku">
        <VariantLabel text={text('consoleCatalogue.sku')} isRequired />
        <TextField
          label={text(isOnly ? 'consoleCatalogue.sku' : 'consoleCatalogue.skuOf', { name })}
          className="bare"
          value={variant.sku}
          maxLength={64}
          isRequired
          onChange={(sku) => change({ sku })}
          data-at={`/variants/${index}/sku`}
          error={errorAt(`/variants/${index}/sku`)}
        />
      </td>
      <td>
        <VariantLabel text={text('consoleCatalogue.weight')} isRequired />
        <DecimalField
          label={text(isOnly ? 'consoleCatalogue.weight' : 'consoleCatalogue.weightOf', { name })}
          className="bare"
          decimals={0}
          isRequired
          unit="g"
          value={variant.weightGrams}
          onChange={(weightGrams) => change({ weightGrams })}
          data-at={`/variants/${index}/weightGrams`}
          error={errorAt(`/variants/${index}/weightGrams`)}
        />
      </td>
      <td>
        <Checkbox
          aria-label={text('consoleCatalogue.availableOf', { name })}
          isSelected={variant.available}
          onChange={(available) => change({ available })}
        >
          <VariantLabel text={text('consoleCatalogue.available')} />
        </Checkbox>
      </td>
      <td>
        <IconButton
          icon="trash"
          label={text('consoleCatalogue.removeVariant', { name })}
          isDisabled={variants.length === 1}
          onPress={() => set({ variants: variants.filter(({ key }) => key !== variant.key) })}
        />
      </td>
    </tr>
  )
}

/** Stands for the heading of the column where the table has none. The names of the fields contain the variant. */
function VariantLabel({ text, isRequired = false }: { text: string; isRequired?: boolean }) {
  return (
    <span aria-hidden className={`variant-label ${isRequired ? 'required' : ''}`}>
      {text}
    </span>
  )
}
