import { AlertDialog, useTexts } from '@platen/ui'
import { useEffect, useState } from 'react'
import type { AroundNavHandler } from 'wouter'

type Navigate = () => void

/** Asks before the form that is shown is left. Undefined while no form has unsaved changes. */
let ask: ((leave: Navigate) => void) | undefined

/** Navigates, unless a form has unsaved changes that the operator wants to keep. */
export const askBeforeLeaving: AroundNavHandler = (navigate, to, options) => {
  const leave = (): void => navigate(to, options)
  if (ask === undefined) leave()
  else ask(leave)
}

/** Has the browser ask before the tab is closed. */
export function useLeaveWarning(isChanged: boolean): void {
  useEffect(() => {
    if (!isChanged) return undefined
    const warn = (event: BeforeUnloadEvent): void => event.preventDefault()
    addEventListener('beforeunload', warn)
    return () => removeEventListener('beforeunload', warn)
  }, [isChanged])
}

/** Asks before unsaved changes of a form are lost by a link or with the tab. */
export function UnsavedGuard({ isChanged }: { isChanged: boolean }) {
  const { text } = useTexts()
  const [leave, setLeave] = useState<Navigate>()
  useLeaveWarning(isChanged)
  useEffect(() => {
    if (!isChanged) return undefined
    ask = (next) => setLeave(() => next)
    return () => {
      ask = undefined
    }
  }, [isChanged])
  return (
    <AlertDialog
      title={text('console.unsavedTitle')}
      isOpen={leave !== undefined}
      isDanger
      confirmLabel={text('console.unsavedLeave')}
      cancelLabel={text('console.unsavedStay')}
      onConfirm={() => leave?.()}
      onCancel={() => setLeave(undefined)}
    >
      <p>{text('console.unsavedHelp')}</p>
    </AlertDialog>
  )
}
