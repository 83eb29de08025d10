import { useTexts } from '@platen/ui'

/** Says what the mark of required fields means. It is visible only in a form that has such a field. */
export function RequiredNote() {
  const { text } = useTexts()
  return <p className="pl-required-note">{text('console.requiredNote')}</p>
}
