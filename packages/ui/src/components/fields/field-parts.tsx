import { useId } from 'react'
import { FieldError } from 'react-aria-components/FieldError'
import { Label } from 'react-aria-components/TextField'

/** What the fields have in common. Labels are always visible, so that a filled field still says what it is. */
export interface FieldTexts {
  label: string
  /** Helps to fill the field in. */
  description?: string | undefined
  /** What is wrong with the value. The field is invalid while there is one. */
  error?: string | undefined
}

/** Tells whether a field has an error, in the form that React Aria expects: undefined leaves validation to it. */
const invalidWith = (error: string | undefined): { isInvalid?: true } =>
  error === undefined ? {} : { isInvalid: true }

export function FieldLabel({ children }: { children: string }) {
  return <Label className="pl-label">{children}</Label>
}

interface NotedProps extends Omit<FieldTexts, 'label'> {
  'aria-describedby'?: string | undefined
}

/** The props of a field that connect it with its notes, and those of the notes. */
export interface Noted {
  field: { 'aria-describedby'?: string; isInvalid?: true }
  notes: FieldNotesProps
}

/**
 * Connects a field with its description and its error by ids. React Aria looks for the elements of its own ids in the
 * document, so it drops descriptions in shadow roots.
 */
export function useNotes({ description, error, 'aria-describedby': others }: NotedProps): Noted {
  const id = useId()
  const [descriptionId, errorId] = [`${id}description`, `${id}error`]
  const ids = [description === undefined ? undefined : descriptionId, error === undefined ? undefined : errorId, others]
  const describedBy = ids.filter((one) => one !== undefined).join(' ')
  return {
    field: { ...(describedBy === '' ? {} : { 'aria-describedby': describedBy }), ...invalidWith(error) },
    notes: { description, error, descriptionId, errorId },
  }
}

interface FieldNotesProps extends Omit<FieldTexts, 'label'> {
  descriptionId: string
  errorId: string
}

export function FieldNotes({ description, error, descriptionId, errorId }: FieldNotesProps) {
  return (
    <>
      {description === undefined ? null : (
        <span id={descriptionId} className="pl-field-description">
          {description}
        </span>
      )}
      {error === undefined ? (
        // What the browser finds wrong when a form is sent.
        <FieldError className="pl-field-error" />
      ) : (
        <span id={errorId} className="pl-field-error">
          {error}
        </span>
      )}
    </>
  )
}
