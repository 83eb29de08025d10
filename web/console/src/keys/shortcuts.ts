import { readStored, store } from '@platen/app/session'
import type { MessageKey } from '@platen/ui'
import { useEffect, useRef, useSyncExternalStore } from 'react'

export interface Shortcut {
  /** One key, or two one after the other: `g o`. */
  keys: string
  title: MessageKey
  /** Set if the keys only move the focus or go to another page. The command palette leaves them out. */
  moves?: boolean
  run(): void
}

/** Between two keys of a shortcut. */
const PAUSE_MS = 1_000

let known: readonly Shortcut[] = []
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
  const present = useRef(shortcuts)
  present.current = shortcuts
  const names = shortcuts.map(({ keys }) => keys).join(',')
  // biome-ignore lint/correctness/useExhaustiveDependencies: the keys tell the shortcuts apart
  useEffect(() => {
    const own = present.current.map((shortcut, index) => ({ ...shortcut, run: () => present.current[index]?.run() }))
    known = [...known, ...own]
    notify()
    return () => {
      known = known.filter((one) => !own.includes(one))
      notify()
    }
  }, [names])
}

/** Returns the shortcuts of the present page. */
export const useKnownShortcuts = (): readonly Shortcut[] => useSyncExternalStore(subscribe, () => known)

/** Whether single keys are shortcuts. Speech input can press them by mistake, so they can be switched off. */
export const useShortcutsOn = (): boolean => useSyncExternalStore(subscribe, () => isOn)

export function switchShortcuts(on: boolean): void {
  isOn = on
  store('platen.shortcuts', on ? undefined : 'off')
  notify()
}

/** Runs the shortcuts of pressed keys. Keys in fields and in dialogs are no shortcuts. */
export function listenForShortcuts(): () => void {
  let before = ''
  let at = 0
  const onKey = (event: KeyboardEvent): void => {
    if (!isOn || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTaken(event.target))
      return
    const sequence = event.timeStamp - at < PAUSE_MS && before !== '' ? `${before} ${event.key}` : event.key
    const found = known.find(({ keys }) => keys === sequence) ?? known.find(({ keys }) => keys === event.key)
    before = known.some(({ keys }) => keys.startsWith(`${event.key} `)) ? event.key : ''
    at = event.timeStamp
    if (found === undefined) return
    event.preventDefault()
    before = ''
    found.run()
  }
  addEventListener('keydown', onKey)
  return () => removeEventListener('keydown', onKey)
}

const isTaken = (target: EventTarget | null): boolean =>
  document.querySelector('[role="dialog"], [role="alertdialog"], [role="menu"]') !== null ||
  (target instanceof Element && target.closest('input, textarea, select, [contenteditable]') !== null)
