import { platen } from '@platen/app/session'
import type { EventType, NewWebhookEndpoint, WebhookEndpoint } from '@platen/client'
import { Checkbox, Switch, TextField, useTexts } from '@platen/ui'
import { useState } from 'react'
import { DevelopersDialog } from '../developers-dialog.tsx'
import { useDevelopersAction } from '../use-developers-action.ts'
import { EVENT_TYPES } from './event-types.ts'

export interface EndpointDialogProps {
  /** The endpoint to change. Without one, the dialog adds an endpoint. */
  endpoint?: WebhookEndpoint
  onDone(result: WebhookEndpoint | NewWebhookEndpoint): void
  onClose(): void
}

/** The URL of an endpoint, and the events that it gets. */
export function EndpointDialog({ endpoint, onDone, onClose }: EndpointDialogProps) {
  const { text } = useTexts()
  const [url, setUrl] = useState(endpoint?.url ?? '')
  const [description, setDescription] = useState(endpoint?.description ?? '')
  const [types, setTypes] = useState<readonly string[] | null>(endpoint?.types ?? null)
  const body = {
    url: url.trim(),
    description: description.trim() === '' ? null : description.trim(),
    types: types === null ? null : ([...types] as EventType[]),
  }
  const save = useDevelopersAction<WebhookEndpoint | NewWebhookEndpoint>(
    async () =>
      endpoint === undefined
        ? await platen.webhookEndpoints.create(body)
        : await platen.webhookEndpoints.update(endpoint.id, body),
    { onDone },
  )
  return (
    <DevelopersDialog
      title={text(endpoint === undefined ? 'consoleDevelopers.addEndpoint' : 'consoleDevelopers.changeEndpoint')}
      confirmLabel={text(endpoint === undefined ? 'consoleDevelopers.addEndpoint' : 'consoleDevelopers.save')}
      isDisabled={body.url === '' || types?.length === 0}
      action={save}
      onConfirm={() => save.mutate()}
      onClose={onClose}
    >
      <TextField
        label={text('consoleDevelopers.url')}
        description={text('consoleDevelopers.urlHelp')}
        type="url"
        maxLength={2000}
        value={url}
        onChange={setUrl}
        isRequired
        autoFocus
      />
      <TextField
        label={text('consoleDevelopers.description')}
        maxLength={200}
        value={description}
        onChange={setDescription}
      />
      <Switch isSelected={types === null} onChange={(isAll) => setTypes(isAll ? null : [])}>
        {text('consoleDevelopers.allEvents')}
      </Switch>
      {types === null ? null : <TypeChoice types={types} onChange={setTypes} />}
    </DevelopersDialog>
  )
}

function TypeChoice({ types, onChange }: { types: readonly string[]; onChange(types: readonly string[]): void }) {
  const { text } = useTexts()
  // An endpoint can have types that a later version of the service added.
  const choices = [...new Set<string>([...EVENT_TYPES, ...types])]
  return (
    <fieldset className="pieces">
      <legend>{text('consoleDevelopers.events')}</legend>
      {choices.map((type) => (
        <Checkbox
          key={type}
          isSelected={types.includes(type)}
          onChange={(isOn) => onChange(isOn ? [...types, type] : types.filter((one) => one !== type))}
        >
          {type}
        </Checkbox>
      ))}
    </fieldset>
  )
}
