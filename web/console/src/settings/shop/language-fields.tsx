import { nameOfLanguage } from '@platen/app/frame'
import { Banner, Checkbox, LANGUAGES, NativeSelect, useTexts } from '@platen/ui'
import { Section } from '../../parts/page/section.tsx'
import { withDefault } from './edits.ts'
import type { FieldsProps } from './fields.ts'

type Language = FieldsProps['saved']['languages'][number]

/** The languages that customers can choose, and the one for readers of all others. */
export function LanguageFields({ shop, edit }: FieldsProps) {
  const { text } = useTexts()
  const chosen = shop.languages as readonly Language[]
  const setLanguages = (languages: readonly string[]): void => edit({ languages: languages as Language[] })
  return (
    <Section title={text('consoleSettings.languages')}>
      <div className="settings-basics">
        <fieldset className="pieces">
          <legend>{text('consoleSettings.offeredLanguages')}</legend>
          {LANGUAGES.map((language) => (
            <Checkbox
              key={language}
              isSelected={chosen.some((one) => one === language)}
              onChange={(isOffered) =>
                setLanguages(isOffered ? [...chosen, language] : chosen.filter((one) => one !== language))
              }
            >
              {nameOfLanguage(language)}
            </Checkbox>
          ))}
        </fieldset>
        {chosen.length === 0 ? <Banner tone="warning">{text('consoleSettings.noLanguage')}</Banner> : null}
        {chosen.length > 1 ? (
          <NativeSelect
            label={text('consoleSettings.defaultLanguage')}
            placeholder={text('consoleSettings.defaultLanguage')}
            value={chosen[0] ?? ''}
            choices={chosen.map((language) => ({ id: language, text: nameOfLanguage(language) }))}
            onChange={(language) => setLanguages(withDefault(chosen, language))}
          />
        ) : null}
      </div>
    </Section>
  )
}
