import { TextField, useTexts } from '@platen/ui'
import { readCategories } from '../categories.ts'

/** Tells whether the service would refuse typed categories of a template. */
export function areWrong(typed: string): boolean {
  const names = readCategories(typed)
  return names.length > 20 || new Set(names).size !== names.length || names.some((category) => category.length > 50)
}

/** The categories under which shops list a template, separated by commas. */
export function CategoryField({ value, onChange }: { value: string; onChange(typed: string): void }) {
  const { text } = useTexts()
  return (
    <TextField
      label={text('consoleCatalogue.categories')}
      description={text('consoleCatalogue.categoriesHelp')}
      value={value}
      onChange={onChange}
      error={areWrong(value) ? text('consoleCatalogue.faultCategories') : undefined}
    />
  )
}
