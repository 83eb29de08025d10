import { type MessageKey, useTexts } from '@platen/ui'
import type { FieldTexts } from '../../parts/history/history-section.tsx'
import { useFieldValues } from '../../parts/history/use-field-values.ts'
import { useSpaceText } from './use-space-text.ts'

const NAMES: Readonly<Record<string, MessageKey>> = {
  description: 'consoleCatalogue.name',
  colorSpace: 'consoleCatalogue.colorSpace',
  bytes: 'consoleCatalogue.size',
  sha256: 'consoleHistory.file',
}

/** Says in words which field of a colour profile a record names, and what its value was. */
export function useProfileFields(): FieldTexts {
  const { formats } = useTexts()
  const { memberName, valueText } = useFieldValues(NAMES)
  const spaceText = useSpaceText()
  return {
    nameOf: memberName,
    textOf: (pointer, value) => {
      if (pointer === '/bytes') return formats.bytes(Number(value))
      return pointer === '/colorSpace' ? spaceText(String(value)) : valueText(value)
    },
  }
}
