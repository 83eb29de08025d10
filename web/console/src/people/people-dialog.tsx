import { FormDialog, type FormDialogProps } from '../parts/form/form-dialog.tsx'
import { peopleProblemText } from './people-problem-text.ts'

/** Asks for what a change of an account needs, and says why it failed. */
export function PeopleDialog(props: Omit<FormDialogProps, 'problemText'>) {
  return <FormDialog problemText={peopleProblemText} {...props} />
}
