import { readStored, store } from '@platen/app/session'
import { type MessageKey, type MessageValues, useTexts } from '@platen/ui'
import { useEffect, useRef, useSyncExternalStore } from 'react'

/** What can be done on a page: from the command palette, and by keys if it has some. */
export interface Shortcut {
  /** One key, two one after the other: `g o`, or one with Ctrl or ⌘: `Control+k`. Without any, only the palette has it. */
  keys?: string
  /** A text of the page: it need not be there on other pages. */
  title: MessageKey
  values?: MessageValues
  /** What it acts on, if the page shows several, such as the rows of a table. */
  of?: string
  /** Set if the keys only move the focus or go to another page. The command palette leaves them out. */
  moves?: boolean
  /** Set if it belongs to no page. */
  isGlobal?: boolean
  /** Set if it works in fields, too, and while single keys are switched off. Never for a key that types a character. */
  inFields?: boolean
  /** Whether the present page has what the shortcut needs. Default: it has. */
  isHere?(): boolean
  /** @param event the key, if a key runs it */
  run(event?: KeyboardEvent): void
}

/** A shortcut with its title in the language of the page. */
export interface KnownShortcut extends Omit<Shortcut, 'title' | 'values'> {
  id: string
  title: string
}

/** Between two keys of a shortcut. */
const PAUSE_MS = 1_000

let known: readonly KnownShortcut[] = []
let count = 0
let isOn = readStored('platen.shortcuts') !== 'off'
const listeners = new Set<() => void>()

function notify(): void {
  for (const listener of listeners) listener()
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Adds shortcuts while the component is shown. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  const { text } = useTexts()
  const present = useRef(shortcuts)
  present.current = shortcuts
  const titles = shortcuts.map(({ title, values }) => text(title, values))
  const names = shortcuts.map(({ keys, of }, index) => `${keys} ${titles[index]} ${of}`).join('\n')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the names tell the shortcuts apart
  useEffect(() => {
    const own = present.current.map(({ values: _values, ...shortcut }, index) => {
      count += 1
      const run = (event?: KeyboardEvent): void => present.current[index]?.run(event)
      return { ...shortcut, id: `run ${count}`, title: titles[index] ?? '', run }
    })
    known = [...known, ...own]
    notify()
    return () => {
      known = known.filter((one) => !own.includes(one))
      notify()
    }
  }, [names])
}

/** Returns the shortcuts of the present page, and those of all pages. */
export const useKnownShortcuts = (): readonly KnownShortcut[] => useSyncExternalStore(subscribe, () => known)

/** Whether single keys are shortcuts. Speech input can press them by mistake, so they can be switched off. */
export const useShortcutsOn = (): boolean => useSyncExternalStore(subscribe, () => isOn)

export function switchShortcuts(on: boolean): void {
  isOn = on
  store('platen.shortcuts', on ? undefined : 'off')
  notify()
}

/** Runs the shortcuts of pressed keys. Keys in dialogs are no shortcuts, and in fields only those that are made for them. */
export function listenForShortcuts(): () => void {
  let before = ''
  let at = 0
  const onKey = (event: KeyboardEvent): void => {
    const key = nameOf(event)
    if (key === undefined || event.defaultPrevented || event.isComposing || isCovered()) return
    const isPlain = isOn && !isField(event.composedPath()[0])
    const usable = known.filter(({ inFields = false }) => isPlain || inFields)
    const sequence = event.timeStamp - at < PAUSE_MS && before !== '' ? `${before} ${key}` : key
    const found = usable.find(({ keys }) => keys === sequence) ?? usable.find(({ keys }) => keys === key)
    before = usable.some(({ keys }) => keys?.startsWith(`${key} `)) ? key : ''
    at = event.timeStamp
    if (found === undefined) return
    // The browser, too, must not act on a key that is held down, such as Control+S.
    if (found.inFields !== true || event.repeat) event.preventDefault()
    // A key that is held down moves on and on, but does nothing twice.
    if (event.repeat && found.moves !== true) return
    before = ''
    found.run(event)
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}

/** Returns the key as shortcuts name it. */
function nameOf({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): string | undefined {
  if (!ctrlKey && !metaKey) return altKey ? undefined : key
  return altKey || shiftKey ? undefined : `Control+${key.toLowerCase()}`
}

const isCovered = (): boolean => document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null

const isField = (target: EventTarget | undefined): boolean =>
  target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null
