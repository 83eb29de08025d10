import type { Action, ActionServices } from './action.ts'
import { formatShortcut, matchesShortcut } from './shortcuts.ts'
import { pasteClip } from './table/editing-actions.ts'
import { ACTIONS, type ActionId, actionOf } from './table/table.ts'

export interface Actions {
  isEnabled(id: ActionId): boolean
  run(id: ActionId): void
  /** Runs the action of a key press, and tells whether there is one. Ignores keys that a field or another handler takes. */
  handleKeyDown(event: KeyboardEvent): boolean
  /** Pastes layers, images or a text, and tells whether it did. Ignores events in fields. */
  handlePaste(event: ClipboardEvent): boolean
  /** Returns the keys of an action for people, such as `Ctrl+Z`. */
  shortcutText(id: ActionId): string | undefined
}

/** The attribute of parts of the page that use the arrow keys themselves. */
const OWN_KEYS = 'data-pe-own-keys'

/** The attribute of the field for text on the canvas. */
const CANVAS_TEXT = 'data-pe-canvas-text'

export function createActions(services: ActionServices): Actions {
  const { store, text } = services
  const names = {
    Mod: text('keyCtrl'),
    Shift: text('keyShift'),
    Delete: text('keyDelete'),
    Backspace: text('keyBackspace'),
    Escape: text('keyEscape'),
    ArrowLeft: text('keyLeft'),
    ArrowRight: text('keyRight'),
    ArrowUp: text('keyUp'),
    ArrowDown: text('keyDown'),
    PageUp: text('keyPageUp'),
    PageDown: text('keyPageDown'),
  }
  const isEnabled = (action: Action): boolean => action.isEnabled(store.get())

  return {
    isEnabled: (id) => isEnabled(actionOf(id)),
    run(id) {
      const action = actionOf(id)
      if (isEnabled(action)) action.run(services)
    },
    handleKeyDown(event) {
      if (event.defaultPrevented || event.isComposing) return false
      const action = ACTIONS.find(({ shortcuts = [] }) => shortcuts.some((keys) => matchesShortcut(event, keys)))
      if (action === undefined || action.id === 'paste' || !isEnabled(action)) return false
      if (isInField(event) && !(isOnCanvas(event) && isUndo(action))) return false
      if (action.isForStage === true && hasOwnKeys(event)) return false
      event.preventDefault()
      action.run(services)
      return true
    },
    handlePaste(event) {
      const { clipboardData } = event
      if (clipboardData === null || event.defaultPrevented || isInField(event) || !store.get().isEditable) return false
      const images = [...clipboardData.files].filter(({ type }) => type.startsWith('image/'))
      const clip = images.length > 0 ? undefined : services.clipboard.accept(clipboardData.getData('text/plain'))
      if (images.length === 0 && clip === undefined) return false
      event.preventDefault()
      if (images.length > 0) services.placeFiles(images)
      else void pasteClip(services, clip)
      return true
    },
    shortcutText(id) {
      const [first] = actionOf(id).shortcuts ?? []
      return first === undefined ? undefined : formatShortcut(first, names)
    },
  }
}

/** Inside a shadow root, the path of an event still has the element that has the focus. */
function isInField(event: Event): boolean {
  const [target] = event.composedPath()
  if (!(target instanceof HTMLElement)) return false
  return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName)
}

/** Text on the canvas is a part of the document, so the steps of the document are undone in it. */
function isOnCanvas(event: Event): boolean {
  const [target] = event.composedPath()
  return target instanceof Element && target.hasAttribute(CANVAS_TEXT)
}

const isUndo = ({ id }: Action): boolean => id === 'undo' || id === 'redo'

function hasOwnKeys(event: Event): boolean {
  return event.composedPath().some((target) => target instanceof Element && target.hasAttribute(OWN_KEYS))
}
