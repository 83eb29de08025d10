import type { Product, Variant } from '@platen/client'

export type Chosen = Readonly<Record<string, string>>

/** Returns the variant with the chosen values. */
export function findVariant({ variants }: Product, chosen: Chosen): Variant | undefined {
  return variants.find(({ options }) => Object.entries(options).every(([name, value]) => chosen[name] === value))
}

/** Returns what is chosen at first: the first variant that can be ordered. */
export function firstChoice({ variants }: Product): Chosen {
  return (variants.find(({ available }) => available) ?? variants[0])?.options ?? {}
}

export interface VariantChoiceProps {
  product: Product
  chosen: Chosen
  onChange(chosen: Chosen): void
}

/** The options of a product. Values that lead to no variant can be chosen, because another option may fit them. */
export function VariantChoice({ product, chosen, onChange }: VariantChoiceProps) {
  return product.options.map(({ name, values }) => (
    <fieldset key={name} className="option">
      <legend>{name}</legend>
      <div className="chips">
        {values.map((value) => {
          const isAvailable = findVariant(product, { ...chosen, [name]: value })?.available ?? false
          return (
            <label key={value} className={isAvailable ? 'chip' : 'chip gone'}>
              <input
                type="radio"
                name={name}
                value={value}
                checked={chosen[name] === value}
                onChange={() => onChange({ ...chosen, [name]: value })}
              />
              {value}
            </label>
          )
        })}
      </div>
    </fieldset>
  ))
}
