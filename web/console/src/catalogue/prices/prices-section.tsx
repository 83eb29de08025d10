import type { ProblemDetail } from '@platen/client'
import { Button, NativeSelect, Switch, useTexts } from '@platen/ui'
import { useState } from 'react'
import { Section } from '../../parts/page/section.tsx'
import { type DraftTier, newKey } from '../product/draft/draft.ts'
import type { DraftProps } from '../product/draft/draft-props.ts'
import { useVariantName } from '../product/draft/variant-name.ts'
import { haveSamePrices } from '../product/draft/variants.ts'
import { PricePreview } from './price-preview.tsx'
import { TierFields } from './tier-fields.tsx'
import { usePricePreview } from './use-price-preview.ts'

/** Prices by quantity, for all variants or for each one, with what quantities cost. */
export function PricesSection({ state }: DraftProps) {
  const { text } = useTexts()
  const { draft, set, faults } = state
  const { variants, options, currency } = draft
  const [wantsEach, setWantsEach] = useState(false)
  // A newer version can have different prices, which a change for all would overwrite.
  const isEach = wantsEach || !haveSamePrices(variants)
  const [chosen, setChosen] = useState(variants[0]?.key)
  const faulty = faults.map(({ pointer = '' }) => /^\/variants\/(\d+)\/priceTiers/.exec(pointer)?.[1])
  const [firstFaulty] = faulty.filter((index) => index !== undefined)
  const known = variants.findIndex(({ key }) => key === chosen)
  // All variants have the same faults if they have the same prices.
  const index = isEach ? Math.max(0, known) : Number(firstFaulty ?? 0)
  const variant = variants[index]
  const tiers = variant?.priceTiers ?? []
  const preview = usePricePreview(currency, tiers)
  const setTiers = (next: readonly DraftTier[]): void =>
    set({
      variants: variants.map((one) => {
        if (isEach && one !== variant) return one
        return { ...one, priceTiers: one === variant ? next : copyOf(next) }
      }),
    })
  const nameOf = useVariantName(options)
  return (
    <Section title={text('consoleCatalogue.prices')}>
      {variants.length < 2 ? null : (
        <Switch
          isSelected={!isEach}
          onChange={(isForAll) => {
            setWantsEach(!isForAll)
            if (isForAll) set({ variants: variants.map((one) => ({ ...one, priceTiers: copyOf(tiers) })) })
          }}
        >
          {text('consoleCatalogue.samePrices')}
        </Switch>
      )}
      {isEach ? (
        <div className="price-variant">
          <NativeSelect
            label={text('consoleCatalogue.pricesOf')}
            choices={variants.map((one) => ({ id: one.key, text: nameOf(one) }))}
            value={variant?.key ?? ''}
            placeholder={text('consoleCatalogue.chooseVariant')}
            onChange={setChosen}
          />
          {firstFaulty === undefined || Number(firstFaulty) === index ? null : (
            <Button onPress={() => setChosen(variants[Number(firstFaulty)]?.key)}>
              {text('consoleCatalogue.showFaultyPrices')}
            </Button>
          )}
        </div>
      ) : null}
      <div className="prices">
        <TierFields
          tiers={tiers}
          currency={currency}
          faultAt={(place) => state.faultAt(`/variants/${index}${place}`) ?? faultAt(preview.faults, place)}
          onChange={setTiers}
        />
        <PricePreview preview={preview} />
      </div>
    </Section>
  )
}

const faultAt = (faults: readonly ProblemDetail[], place: string) => faults.find(({ pointer }) => pointer === place)

const copyOf = (tiers: readonly DraftTier[]): DraftTier[] => tiers.map((tier) => ({ ...tier, key: newKey() }))
