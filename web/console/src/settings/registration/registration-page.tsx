import { Loading, Page } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { ShopSettings } from '@platen/client'
import { Button, type MessageKey, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { type FormEvent, useState } from 'react'
import { Failure } from '../../shell/failure.tsx'
import { shopSettingsQuery } from '../queries.ts'
import { SaveBar } from '../save-bar.tsx'
import { SettingsViews } from '../settings-views.tsx'
import { useSettingsAction } from '../use-settings-action.ts'

type Policy = ShopSettings['registration']

const POLICIES: readonly (readonly [Policy, title: MessageKey, help: MessageKey])[] = [
  ['open', 'consoleSettings.registrationOpen', 'consoleSettings.registrationOpenHelp'],
  ['invitation', 'consoleSettings.registrationInvitation', 'consoleSettings.registrationInvitationHelp'],
  ['closed', 'consoleSettings.registrationClosed', 'consoleSettings.registrationClosedHelp'],
]

/** Who gets a new account. */
export function RegistrationPage() {
  const { text } = useTexts()
  const settings = useQuery(shopSettingsQuery())
  if (settings.error !== null && settings.data === undefined) {
    return <Failure error={settings.error} onRetry={() => void settings.refetch()} />
  }
  return (
    <Page title={text('consoleSettings.registration')}>
      <SettingsViews />
      {settings.data === undefined ? <Loading /> : <RegistrationForm saved={settings.data} />}
    </Page>
  )
}

function RegistrationForm({ saved }: { saved: ShopSettings }) {
  const { text } = useTexts()
  const [chosen, setChosen] = useState<Policy | null>()
  const saving = useSettingsAction(
    () => platen.shopSettings.change({ registration: chosen ?? null }, { ifMatch: `"${saved.revision}"` }),
    { done: text('consoleSettings.doneRegistration'), onDone: () => setChosen(undefined) },
  )
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (chosen !== undefined && !saving.isPending) saving.mutate()
  }
  const shown = chosen === undefined ? saved.registration : chosen
  return (
    <form className="settings-form" onSubmit={submit}>
      <fieldset className="section policies">
        <legend>{text('consoleSettings.whoRegisters')}</legend>
        {POLICIES.map(([policy, title, help]) => (
          <label key={policy}>
            <input
              type="radio"
              name="registration"
              checked={shown === policy}
              onChange={() => setChosen(policy === saved.registration ? undefined : policy)}
            />
            <span>
              <b>{text(title)}</b>
              <span className="note">{text(help)}</span>
            </span>
          </label>
        ))}
        {saved.customized.includes('registration') && chosen !== null ? (
          <Button look="quiet" className="add" onPress={() => setChosen(null)}>
            {text('consoleSettings.resetColor')}
          </Button>
        ) : null}
        {chosen === null ? <p role="status">{text('consoleSettings.registrationIsReset')}</p> : null}
      </fieldset>
      <SaveBar action={saving} isDisabled={chosen === undefined} />
    </form>
  )
}
