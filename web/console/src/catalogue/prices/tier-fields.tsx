import type { ProblemDetail } from '@platen/client'
import { Button, Icon, IconButton, minorDigits, useTexts } from '@platen/ui'
import { DecimalField } from '../../parts/form/decimal-field.tsx'
import { inMinorUnits, inUnits } from '../../parts/form/money.ts'
import { faultText } from '../fault-text.ts'
import { type DraftTier, newTier } from '../product/draft/draft.ts'

export interface TierFieldsProps {
  tiers: readonly DraftTier[]
  currency: string
  /** Returns the fault of a place, such as `/priceTiers/0/unitAmount`. */
  faultAt(place: string): ProblemDetail | undefined
  onChange(tiers: readonly DraftTier[]): void
}

const MOST_TIERS = 50

/** The price of a piece from each quantity on. */
export function TierFields({ tiers, currency, faultAt, onChange }: TierFieldsProps) {
  const texts = useTexts()
  const { text } = texts
  const errorAt = (place: string): string | undefined => {
    const fault = faultAt(place)
    return fault === undefined ? undefined : faultText(texts, fault)
  }
  const change = (tier: DraftTier, changes: Partial<DraftTier>): void =>
    onChange(tiers.map((one) => (one === tier ? { ...tier, ...changes } : one)))
  const error = errorAt('/priceTiers')
  return (
    <div className="tier-list">
      <ol>
        {tiers.map((tier, index) => {
          const number = index + 1
          const { minQuantity, unitAmount } = tier
          return (
            <li key={tier.key} className="tier">
              <DecimalField
                label={text('consoleCatalogue.fromQuantity', { number })}
                decimals={0}
                min={1}
                unit={text('consoleCatalogue.pieces')}
                isRequired
                value={minQuantity}
                onChange={(next) => change(tier, { minQuantity: next })}
                data-at={`/priceTiers/${index}/minQuantity`}
                error={errorAt(`/priceTiers/${index}/minQuantity`)}
              />
              <DecimalField
                label={text('consoleCatalogue.unitPrice', { number })}
                decimals={minorDigits(currency)}
                step={minorDigits(currency) === 0 ? 1 : 0.1}
                isPadded
                isRequired
                unit={currency}
                value={unitAmount === undefined ? undefined : inUnits({ amount: unitAmount, currency })}
                onChange={(units) =>
                  change(tier, { unitAmount: units === undefined ? undefined : inMinorUnits(units, currency).amount })
                }
                data-at={`/priceTiers/${index}/unitAmount`}
                error={errorAt(`/priceTiers/${index}/unitAmount`)}
              />
              <IconButton
                icon="trash"
                label={text('consoleCatalogue.removeTier', { number })}
                isDisabled={tiers.length === 1}
                onPress={() => onChange(tiers.filter(({ key }) => key !== tier.key))}
              />
            </li>
          )
        })}
      </ol>
      {error === undefined ? null : <p className="pl-field-error">{error}</p>}
      <Button isDisabled={tiers.length >= MOST_TIERS} onPress={() => onChange([...tiers, newTier(undefined)])}>
        <Icon name="plus" size={18} />
        {text('consoleCatalogue.addTier')}
      </Button>
    </div>
  )
}
