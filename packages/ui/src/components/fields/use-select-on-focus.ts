import { type SyntheticEvent, useRef } from 'react'

type InputEvent = SyntheticEvent<HTMLInputElement>

/**
 * Returns handlers for a field whose content is replaced more often than it is changed: the focus selects the content, so
 * that typing replaces it. A further press places the cursor.
 */
export function useSelectOnFocus() {
  const isEntered = useRef(false)
  return {
    onPointerDown: ({ currentTarget }: InputEvent): void => {
      isEntered.current = !currentTarget.matches(':focus')
    },
    onFocus: ({ currentTarget }: InputEvent): void => currentTarget.select(),
    // After the focus, the press has placed the cursor. A part that was selected with the pointer stays selected.
    onClick: ({ currentTarget }: InputEvent): void => {
      if (isEntered.current && currentTarget.selectionStart === currentTarget.selectionEnd) currentTarget.select()
      isEntered.current = false
    },
  }
}
