import { part } from '@platen/app/frame'
import { NativeSelect, TextField, ToggleButton, ToggleButtonGroup, useTexts } from '@platen/ui'
import { useState } from 'react'
import { Section } from '../../../parts/page/section.tsx'
import { type DraftProps, useErrorAt } from '../draft/draft-props.ts'

const Markdown = part(() => import('@platen/app/markdown'), 'Markdown', null)

/** Name, descriptions and currency. */
export function BasicsSection({ state }: DraftProps) {
  const { text, formats } = useTexts()
  const errorAt = useErrorAt(state)
  const { draft, set, product } = state
  const names = new Intl.DisplayNames(formats.locale, { type: 'currency' })
  const codes = Intl.supportedValuesOf('currency')
  return (
    <Section title={text('consoleCatalogue.basics')}>
      <div className="form">
        <TextField
          label={text('consoleCatalogue.name')}
          value={draft.name}
          onChange={(name) => set({ name })}
          maxLength={200}
          isRequired
          data-at="/name"
          error={errorAt('/name')}
        />
        <TextField
          label={text('consoleCatalogue.description')}
          description={text('consoleCatalogue.descriptionHelp')}
          rows={2}
          value={draft.description}
          onChange={(description) => set({ description })}
          maxLength={5_000}
          data-at="/description"
          error={errorAt('/description')}
        />
        <LongDescription state={state} />
        <NativeSelect
          label={text('consoleCatalogue.currency')}
          description={product === undefined ? undefined : text('consoleCatalogue.currencyHelp')}
          choices={codes.map((id) => ({ id, text: `${id} – ${names.of(id)}` }))}
          value={draft.currency}
          placeholder={text('consoleCatalogue.chooseCurrency')}
          onChange={(currency) => set({ currency })}
          isRequired
          data-at="/currency"
          error={errorAt('/currency')}
        />
      </div>
    </Section>
  )
}

/** The longer description, as it is written or as the shop shows it. */
function LongDescription({ state: { draft, set, ...state } }: DraftProps) {
  const { text } = useTexts()
  const errorAt = useErrorAt(state)
  const [view, setView] = useState<'write' | 'preview'>('write')
  return (
    <div className="markdown-field">
      <ToggleButtonGroup
        aria-label={text('consoleCatalogue.longDescriptionView')}
        selectedKeys={[view]}
        disallowEmptySelection
        onSelectionChange={(keys) => setView([...keys][0] === 'preview' ? 'preview' : 'write')}
      >
        <ToggleButton id="write">{text('consoleCatalogue.write')}</ToggleButton>
        <ToggleButton id="preview">{text('consoleCatalogue.preview')}</ToggleButton>
      </ToggleButtonGroup>
      {view === 'write' ? (
        <TextField
          label={text('consoleCatalogue.longDescription')}
          description={text('consoleCatalogue.longDescriptionHelp')}
          rows={7}
          value={draft.descriptionMarkdown}
          onChange={(descriptionMarkdown) => set({ descriptionMarkdown })}
          maxLength={20_000}
          data-at="/descriptionMarkdown"
          error={errorAt('/descriptionMarkdown')}
        />
      ) : (
        <section className="markdown-preview" aria-label={text('consoleCatalogue.preview')}>
          {draft.descriptionMarkdown.trim() === '' ? (
            <p className="note">{text('consoleCatalogue.noText')}</p>
          ) : (
            <Markdown source={draft.descriptionMarkdown} />
          )}
        </section>
      )}
    </div>
  )
}
