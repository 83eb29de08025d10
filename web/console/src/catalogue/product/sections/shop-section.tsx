import { NativeSelect, TextField, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { DecimalField } from '../../../parts/form/decimal-field.tsx'
import { Section } from '../../../parts/page/section.tsx'
import { readCategories } from '../../categories.ts'
import { colorProfilesQuery } from '../../queries.ts'
import { type DraftProps, useErrorAt } from '../draft/draft-props.ts'

/** Where the shop lists the product. */
export function ShopSection({ state }: DraftProps) {
  const { text } = useTexts()
  const errorAt = useErrorAt(state)
  const { draft, set, faults } = state
  const [typed, setTyped] = useState(draft.categories.join(', '))
  const shown = isSame(readCategories(typed), draft.categories) ? typed : draft.categories.join(', ')
  const isWrong = faults.some(({ pointer = '' }) => pointer.startsWith('/categories'))
  return (
    <Section title={text('consoleCatalogue.inShop')}>
      <div className="form">
        <TextField
          label={text('consoleCatalogue.categories')}
          description={text('consoleCatalogue.categoriesHelp')}
          value={shown}
          onChange={(next) => {
            setTyped(next)
            set({ categories: readCategories(next) })
          }}
          error={isWrong ? text('consoleCatalogue.faultCategories') : undefined}
        />
        <DecimalField
          label={text('consoleCatalogue.sort')}
          description={text('consoleCatalogue.sortHelp')}
          decimals={0}
          min={-1_000_000}
          value={draft.sort}
          onChange={(sort) => set({ sort })}
          data-at="/sort"
          error={errorAt('/sort')}
        />
        <ProfileSelect state={state} />
      </div>
    </Section>
  )
}

/** The printing condition for which print files are made. */
function ProfileSelect({ state }: DraftProps) {
  const { text } = useTexts()
  const errorAt = useErrorAt(state)
  const { draft, set } = state
  const profiles = useQuery(colorProfilesQuery()).data ?? []
  return (
    <NativeSelect
      label={text('consoleCatalogue.colorProfile')}
      description={text('consoleCatalogue.colorProfileHelp')}
      choices={profiles.map(({ id, description }) => ({ id, text: description }))}
      value={draft.outputProfileId ?? ''}
      placeholder={text('consoleCatalogue.srgb')}
      onChange={(id) => set({ outputProfileId: id === '' ? null : id })}
      data-at="/outputProfileId"
      error={errorAt('/outputProfileId')}
    />
  )
}

const isSame = (a: readonly string[], b: readonly string[]): boolean => JSON.stringify(a) === JSON.stringify(b)
