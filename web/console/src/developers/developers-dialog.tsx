import { FormDialog, type FormDialogProps } from '../parts/form/form-dialog.tsx'
import { developersProblemText } from './developers-problem-text.ts'

/** Asks for what a change of an endpoint or an API key needs, and says why it failed. */
export function DevelopersDialog(props: Omit<FormDialogProps, 'problemText'>) {
  return <FormDialog problemText={developersProblemText} {...props} />
}
