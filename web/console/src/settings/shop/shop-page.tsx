import { Loading, Page } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { ShopSettings } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { HistorySection } from '../../parts/history/history-section.tsx'
import { Failure } from '../../shell/failure.tsx'
import { SETTINGS, shopSettingsQuery } from '../queries.ts'
import { SaveBar } from '../save-bar.tsx'
import { SettingsViews } from '../settings-views.tsx'
import { useSettingsAction } from '../use-settings-action.ts'
import { ColorFields } from './color-fields.tsx'
import { canSave, editedShop, type ShopEdits } from './edits.ts'
import { LanguageFields } from './language-fields.tsx'
import { LogoField } from './logo-field.tsx'
import { LookPreview } from './look-preview.tsx'
import { NameFields } from './name-fields.tsx'
import { useShopFields } from './use-shop-fields.ts'

/** How the shop appears to customers. */
export function ShopPage() {
  const { text } = useTexts()
  const settings = useQuery(shopSettingsQuery())
  const fields = useShopFields()
  if (settings.error !== null && settings.data === undefined) {
    return <Failure error={settings.error} onRetry={() => void settings.refetch()} />
  }
  return (
    <Page title={text('consoleSettings.shop')}>
      <SettingsViews />
      {settings.data === undefined ? <Loading /> : <ShopForm saved={settings.data} />}
      <HistorySection queryKey={SETTINGS} subject="shop" subjectId="shop" fields={fields} />
    </Page>
  )
}

/** What is edited stays while another administrator saves: only these members are sent. */
function ShopForm({ saved }: { saved: ShopSettings }) {
  const { text } = useTexts()
  const [edits, setEdits] = useState<ShopEdits>({})
  const edit = (changes: ShopEdits): void => setEdits((before) => ({ ...before, ...changes }))
  const saving = useSettingsAction(() => platen.shopSettings.change(edits, { ifMatch: `"${saved.revision}"` }), {
    done: text('consoleSettings.doneShop'),
    onDone: () => setEdits({}),
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (canSave(edits) && !saving.isPending) saving.mutate()
  }
  const shop = editedShop(saved, edits)
  const fields = { saved, edits, shop, edit }
  return (
    <form className="settings-form" onSubmit={submit}>
      <NameFields {...fields} />
      <LogoField {...fields} />
      <ColorFields {...fields} />
      <LanguageFields {...fields} />
      <LookPreview {...fields} />
      <SaveBar action={saving} isDisabled={!canSave(edits)} />
    </form>
  )
}
