import { Button, TextField, useTexts } from '@platen/ui'
import { useId } from 'react'
import { Section } from '../../parts/page/section.tsx'
import { isColor } from './edits.ts'
import type { FieldsProps } from './fields.ts'

/** The colour as a text, and the choice of the browser beside it. */
export function ColorFields({ saved, edits, shop, edit }: FieldsProps) {
  const { text } = useTexts()
  const id = useId()
  const { accentColor } = shop
  const isOwn = edits.accentColor === undefined ? saved.customized.includes('accentColor') : edits.accentColor !== null
  return (
    <Section title={text('consoleSettings.color')}>
      <p className="note">{text('consoleSettings.colorHelp')}</p>
      <div className="color-fields">
        <TextField
          label={text('consoleSettings.accentColor')}
          maxLength={7}
          value={accentColor}
          onChange={(color) => edit({ accentColor: color })}
          error={isColor(accentColor) ? undefined : text('consoleSettings.notColor')}
        />
        <div className="pl-field">
          <label className="pl-label" htmlFor={id}>
            {text('consoleSettings.pickColor')}
          </label>
          <input
            id={id}
            type="color"
            value={isColor(accentColor) ? accentColor : '#000000'}
            onChange={({ target }) => edit({ accentColor: target.value })}
          />
        </div>
        {isOwn ? (
          <Button look="quiet" onPress={() => edit({ accentColor: null })}>
            {text('consoleSettings.resetColor')}
          </Button>
        ) : null}
      </div>
      {edits.accentColor === null ? <p role="status">{text('consoleSettings.colorIsReset')}</p> : null}
    </Section>
  )
}
