import { nameOfLanguage } from '@platen/app/frame'
import type { ShopSettings } from '@platen/client'
import { LANGUAGES, type MessageKey, useTexts } from '@platen/ui'
import type { FieldTexts } from '../../parts/history/history-section.tsx'
import { useFieldValues } from '../../parts/history/use-field-values.ts'

const NAMES: Readonly<Record<string, MessageKey>> = {
  name: 'consoleSettings.name',
  supportEmail: 'consoleSettings.supportEmail',
  languages: 'consoleSettings.languages',
  accentColor: 'consoleSettings.accentColor',
  logoAssetId: 'consoleSettings.logo',
  registration: 'consoleSettings.whoRegisters',
}

const REGISTRATION: Readonly<Record<ShopSettings['registration'], MessageKey>> = {
  open: 'consoleSettings.registrationOpen',
  invitation: 'consoleSettings.registrationInvitation',
  closed: 'consoleSettings.registrationClosed',
}

/** Says in words which setting of the shop a change names, and what its values are. */
export function useShopFields(): FieldTexts {
  const { text } = useTexts()
  const { memberName, valueText } = useFieldValues(NAMES)
  return {
    nameOf: memberName,
    textOf: (pointer, value) => {
      if (value === null) return text('consoleHistory.unset')
      if (pointer === '/registration') return text(REGISTRATION[value as ShopSettings['registration']])
      if (pointer === '/logoAssetId') return text('consoleHistory.logoImage')
      if (pointer !== '/languages') return valueText(value)
      return LANGUAGES.filter((one) => (value as string[]).includes(one))
        .map(nameOfLanguage)
        .join(', ')
    },
  }
}
