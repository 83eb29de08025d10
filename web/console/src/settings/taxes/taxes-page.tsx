import { Loading, Page } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { TaxSettings } from '@platen/client'
import { Button, Checkbox, Icon, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { RequiredNote } from '../../parts/form/required-note.tsx'
import { UnsavedGuard } from '../../parts/form/unsaved-guard.tsx'
import { HistorySection } from '../../parts/history/history-section.tsx'
import { Failure } from '../../shell/failure.tsx'
import { SETTINGS, taxSettingsQuery } from '../queries.ts'
import { SaveBar } from '../save-bar.tsx'
import { SettingsViews } from '../settings-views.tsx'
import { useSettingsAction } from '../use-settings-action.ts'
import { draftOf, isComplete, newRate, requestOf, type TaxRateDraft } from './draft.ts'
import { TaxRateFields } from './tax-rate-fields.tsx'
import { useTaxFields } from './use-tax-fields.ts'

export function TaxesPage() {
  const { text } = useTexts()
  const settings = useQuery(taxSettingsQuery())
  const fields = useTaxFields()
  if (settings.error !== null && settings.data === undefined) {
    return <Failure error={settings.error} onRetry={() => void settings.refetch()} />
  }
  return (
    <Page title={text('consoleSettings.taxes')}>
      <SettingsViews />
      {settings.data === undefined ? <Loading /> : <TaxesForm key={settings.data.updatedAt} settings={settings.data} />}
      <HistorySection queryKey={SETTINGS} subject="tax_settings" subjectId="tax_settings" fields={fields} />
    </Page>
  )
}

function TaxesForm({ settings }: { settings: TaxSettings }) {
  const { text } = useTexts()
  const [initial] = useState(() => draftOf(settings))
  const [draft, setDraft] = useState(initial)
  const { rates } = draft
  const saving = useSettingsAction(() => platen.taxSettings.replace(requestOf(draft)), {
    done: text('consoleSettings.doneSave'),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isComplete(draft) && !saving.isPending) saving.mutate()
  }
  const setRates = (next: readonly TaxRateDraft[]): void => setDraft((before) => ({ ...before, rates: next }))
  return (
    <form className="settings-form" onSubmit={submit}>
      <RequiredNote />
      <div className="section settings-basics">
        <Checkbox
          isSelected={draft.taxIncluded}
          onChange={(taxIncluded) => setDraft((before) => ({ ...before, taxIncluded }))}
        >
          {text('consoleSettings.taxIncluded')}
        </Checkbox>
        <p className="note">{text('consoleSettings.taxHelp')}</p>
        <ul className="rates" aria-label={text('consoleSettings.taxRates')}>
          {rates.map((rate, index) => (
            <TaxRateFields
              key={rate.id}
              rate={rate}
              number={index + 1}
              onChange={(changed) => setRates(rates.map((one) => (one.id === changed.id ? changed : one)))}
              onRemove={() => setRates(rates.filter(({ id }) => id !== rate.id))}
            />
          ))}
        </ul>
        <Button className="add" onPress={() => setRates([...rates, newRate()])}>
          <Icon name="plus" size={18} />
          {text('consoleSettings.addTaxRate')}
        </Button>
      </div>
      <UnsavedGuard isChanged={draft !== initial && !saving.isPending} />
      <SaveBar action={saving} isDisabled={!isComplete(draft)} />
    </form>
  )
}
