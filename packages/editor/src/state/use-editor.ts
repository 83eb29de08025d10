import type { Platen } from '@platen/client'
import type { Translator } from '@platen/ui'
import { createContext, useContext, useSyncExternalStore } from 'react'
import type { EditorMessage } from '../messages.ts'
import type { EditorState } from './editor-state.ts'
import type { EditorStore } from './editor-store.ts'

/** What all parts of one editor share. */
export interface EditorServices {
  store: EditorStore
  client: Platen
  text: Translator<EditorMessage>['text']
  /** The language with the customer's region, for `Intl`. */
  locale: string
  /** The name of a print area in the language of the customer. */
  sideName(area: { id: string; name: string }): string
  /** Tells screen readers what has happened. */
  announce(message: string): void
  /** Shows the customer why something was not done. */
  refuse(message: string): void
  /** Where the element puts what `announce` does. */
  announcer: { say(message: string): void }
}

export const EditorContext = createContext<EditorServices | undefined>(undefined)

export function useEditor(): EditorServices {
  const services = useContext(EditorContext)
  if (services === undefined) throw new Error('This component must be inside an editor')
  return services
}

/**
 * Returns a part of the state, and renders again when it changes.
 *
 * @param select must return the same object as long as nothing has changed
 */
export function useEditorState<Part>(select: (state: EditorState) => Part): Part {
  const { store } = useEditor()
  return useSyncExternalStore(store.subscribe, () => select(store.get()))
}
