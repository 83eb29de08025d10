import type { CreateShippingMethodRequest } from '@platen/client'
import { Button, Checkbox, Icon, NumberField, TextField, useTexts } from '@platen/ui'
import { type FormEvent, useState } from 'react'
import { RequiredNote } from '../../parts/form/required-note.tsx'
import { UnsavedGuard } from '../../parts/form/unsaved-guard.tsx'
import { SaveBar } from '../save-bar.tsx'
import { useSettingsAction } from '../use-settings-action.ts'
import { isComplete, type MethodDraft, newZone, requestOf, type ZoneDraft } from './draft.ts'
import { ZoneFields } from './zone-fields.tsx'

export interface MethodFormProps {
  draft: MethodDraft
  save(request: CreateShippingMethodRequest): Promise<unknown>
  onSaved(): void
}

/** Everything of a shipping method. Nothing changes for customers before it is saved. */
export function MethodForm({ draft: given, save, onSaved }: MethodFormProps) {
  const { text } = useTexts()
  const [initial] = useState(given)
  const [draft, setDraft] = useState(initial)
  const change = (members: Partial<MethodDraft>): void => setDraft((before) => ({ ...before, ...members }))
  const saving = useSettingsAction(() => save(requestOf(draft)), {
    done: text('consoleSettings.doneSave'),
    onDone: onSaved,
  })
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isComplete(draft) && !saving.isPending) saving.mutate()
  }
  const changeZone = (changed: ZoneDraft): void =>
    change({ zones: draft.zones.map((zone) => (zone.id === changed.id ? changed : zone)) })
  return (
    <form className="settings-form" onSubmit={submit}>
      <RequiredNote />
      <div className="section settings-basics">
        <TextField
          label={text('consoleSettings.name')}
          description={text('consoleSettings.nameHelp')}
          maxLength={100}
          isRequired
          value={draft.name}
          onChange={(name) => change({ name })}
        />
        <div className="field-pair">
          <NumberField
            label={text('consoleSettings.minDays')}
            minValue={0}
            maxValue={365}
            step={1}
            isRequired
            value={draft.minDays}
            onChange={(minDays) => change({ minDays })}
          />
          <NumberField
            label={text('consoleSettings.maxDays')}
            minValue={0}
            maxValue={365}
            step={1}
            isRequired
            value={draft.maxDays}
            onChange={(maxDays) => change({ maxDays })}
          />
        </div>
        <Checkbox isSelected={draft.isActive} onChange={(isActive) => change({ isActive })}>
          {text('consoleSettings.isOffered')}
        </Checkbox>
      </div>
      {draft.zones.map((zone, index) => (
        <ZoneFields
          key={zone.id}
          zone={zone}
          number={index + 1}
          currencies={draft.currencies}
          onChange={changeZone}
          onRemove={() => change({ zones: draft.zones.filter(({ id }) => id !== zone.id) })}
        />
      ))}
      <Button className="add" onPress={() => change({ zones: [...draft.zones, newZone()] })}>
        <Icon name="plus" size={18} />
        {text('consoleSettings.addZone')}
      </Button>
      <UnsavedGuard isChanged={draft !== initial && !saving.isPending} />
      <SaveBar action={saving} isDisabled={!isComplete(draft)} />
    </form>
  )
}
