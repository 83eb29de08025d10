import { FieldError } from 'react-aria-components/FieldError'
import { Label, Text } from 'react-aria-components/TextField'

/** What the fields have in common. Labels are always visible, so that a filled field still says what it is. */
export interface FieldTexts {
  label: string
  /** Helps to fill the field in. */
  description?: string | undefined
  /** What is wrong with the value. The field is invalid while there is one. */
  error?: string | undefined
}

/** Tells whether a field has an error, in the form that React Aria expects: undefined leaves validation to it. */
export const invalidWith = (error: string | undefined): { isInvalid?: true } =>
  error === undefined ? {} : { isInvalid: true }

export function FieldLabel({ children }: { children: string }) {
  return <Label className="pl-label">{children}</Label>
}

export function FieldNotes({ description, error }: Omit<FieldTexts, 'label'>) {
  return (
    <>
      {description === undefined ? null : (
        <Text slot="description" className="pl-field-description">
          {description}
        </Text>
      )}
      {error === undefined ? (
        <FieldError className="pl-field-error" />
      ) : (
        <FieldError className="pl-field-error">{error}</FieldError>
      )}
    </>
  )
}
