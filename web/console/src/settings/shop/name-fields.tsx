import { TextField, useTexts } from '@platen/ui'
import { Section } from '../../parts/page/section.tsx'
import type { FieldsProps } from './fields.ts'

export function NameFields({ shop, edit }: FieldsProps) {
  const { text } = useTexts()
  return (
    <Section title={text('consoleSettings.shopName')}>
      <div className="settings-basics">
        <TextField
          label={text('consoleSettings.name')}
          description={text('consoleSettings.shopNameHelp')}
          maxLength={80}
          value={shop.name}
          onChange={(name) => edit({ name: name.trim() === '' ? null : name })}
        />
        <TextField
          type="email"
          label={text('consoleSettings.supportEmail')}
          description={text('consoleSettings.supportEmailHelp')}
          maxLength={254}
          value={shop.supportEmail}
          onChange={(email) => edit({ supportEmail: email === '' ? null : email })}
        />
      </div>
    </Section>
  )
}
