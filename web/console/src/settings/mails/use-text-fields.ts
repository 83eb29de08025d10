import type { FieldTexts } from '../../parts/history/history-section.tsx'
import { useFieldValues } from '../../parts/history/use-field-values.ts'

/** Names the fields of a mail text in its history. */
export function useTextFields(): FieldTexts {
  const { memberName, valueText } = useFieldValues({
    subject: 'consoleSettings.mailSubject',
    body: 'consoleSettings.mailBody',
  })
  return { nameOf: memberName, textOf: (_pointer, value) => valueText(value) }
}
