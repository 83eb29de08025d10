import type { MessageKey } from '@platen/ui'
import { type RefObject, useRef } from 'react'
import { commitField } from '../parts/form/commit-field.ts'
import { useShortcuts } from './shortcuts.ts'

/**
 * Sends the form that contains an element with Ctrl or ⌘ and S.
 *
 * @param isPossible whether the form can be sent. Default: it can
 * @returns the reference to give to the element
 */
export function useSaveKeys<Part extends HTMLElement>(title: MessageKey, isPossible = true): RefObject<Part | null> {
  const part = useRef<Part>(null)
  const save = (event?: KeyboardEvent): void => {
    // The browser would save the page as a file.
    event?.preventDefault()
    commitField()
    part.current?.closest('form')?.requestSubmit()
  }
  useShortcuts(isPossible ? [{ keys: 'Control+s', inFields: true, title, run: save }] : [])
  return part
}
