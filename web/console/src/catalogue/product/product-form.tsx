import { type FormEvent, type ReactNode, useEffect } from 'react'
import { flushSync } from 'react-dom'
import { useSaveKeys } from '../../keys/use-save-keys.ts'
import { RequiredNote } from '../../parts/form/required-note.tsx'
import { AreasSection } from '../areas/areas-section.tsx'
import { PricesSection } from '../prices/prices-section.tsx'
import { findFaults } from './draft/find-faults.ts'
import { focusPlace } from './draft/focus-place.ts'
import { SaveBar, type SaveBarProps } from './save-bar.tsx'
import { BasicsSection } from './sections/basics-section.tsx'
import { OptionsSection } from './sections/options-section.tsx'
import { PicturesSection } from './sections/pictures-section.tsx'
import { ShopSection } from './sections/shop-section.tsx'
import { VariantsSection } from './sections/variants-section.tsx'

export interface ProductFormProps extends SaveBarProps {
  onSave(): void
  /** Further sections, beside the form. */
  children?: ReactNode
}

/** Everything of a product. Faults are shown at their fields. */
export function ProductForm({ state, action, confirmLabel, onSave, children }: ProductFormProps) {
  // While the product of another administrator is newer, the owner of the form decides first.
  const form = useSaveKeys<HTMLFormElement>('common.save', state.newer === undefined)
  useFocusOnFault(form, action.error)
  const { draft, unwanted, refuse } = state
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (action.isPending) return
    const faults = findFaults(draft, unwanted)
    const [first] = faults
    if (first === undefined) {
      onSave()
      return
    }
    // The fields get their messages before one of them gets the focus.
    flushSync(() => refuse(faults))
    if (form.current !== null) focusPlace(form.current, first.pointer ?? '')
  }
  return (
    <form className="product-form" ref={form} onSubmit={submit} noValidate>
      <RequiredNote />
      <div className="columns">
        <div className="column">
          <BasicsSection state={state} />
          <AreasSection state={state} />
          <OptionsSection state={state} />
          <VariantsSection state={state} />
          <PricesSection state={state} />
        </div>
        <div className="column">
          <PicturesSection state={state} />
          <ShopSection state={state} />
          {children}
        </div>
      </div>
      <SaveBar state={state} action={action} confirmLabel={confirmLabel} />
    </form>
  )
}

/** Leads to the first field that the service has refused. */
function useFocusOnFault(form: { current: HTMLFormElement | null }, error: Error | null): void {
  useEffect(() => {
    if (error === null) return
    form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
  }, [form, error])
}
