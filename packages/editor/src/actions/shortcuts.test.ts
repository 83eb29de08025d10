import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatShortcut, type KeyPress, matchesShortcut } from './shortcuts.ts'
import { ACTIONS } from './table/table.ts'

const press = (key: string, modifiers: Partial<KeyPress> = {}): KeyPress => ({
  ...{ key, code: /^[a-z]$/i.test(key) ? `Key${key.toUpperCase()}` : '' },
  ...{ ctrlKey: false, metaKey: false, shiftKey: false, altKey: false },
  ...modifiers,
})

test('a shortcut needs exactly its modifiers, and the command key on Apple devices', () => {
  assert.equal(matchesShortcut(press('z', { ctrlKey: true }), 'Mod+Z', false), true)
  assert.equal(matchesShortcut(press('z', { metaKey: true }), 'Mod+Z', true), true)
  assert.equal(matchesShortcut(press('z', { ctrlKey: true }), 'Mod+Z', true), false)
  assert.equal(matchesShortcut(press('Z', { ctrlKey: true, shiftKey: true }), 'Mod+Z', false), false)
  assert.equal(matchesShortcut(press('Z', { ctrlKey: true, shiftKey: true }), 'Mod+Shift+Z', false), true)
  assert.equal(matchesShortcut(press('z'), 'Mod+Z', false), false)
})

test('characters may need the shift key, and option changes letters on Apple keyboards', () => {
  assert.equal(matchesShortcut(press('?', { shiftKey: true }), '?', false), true)
  assert.equal(matchesShortcut(press('+'), '+', false), true)
  assert.equal(matchesShortcut(press('å', { code: 'KeyA', altKey: true }), 'Alt+A', true), true)
})

test('AltGr, which types characters, is no shortcut', () => {
  assert.equal(matchesShortcut(press('a', { ctrlKey: true, altKey: true }), 'Alt+A', false), false)
})

test('shortcuts are written with the names of the keys', () => {
  const names = { Mod: 'Strg', Shift: 'Umschalt' }
  assert.equal(formatShortcut('Mod+Shift+Z', names, false), 'Strg+Umschalt+Z')
  assert.equal(formatShortcut('Mod+Shift+Z', names, true), '⌘⇧Z')
  assert.equal(formatShortcut('+', names, false), '+')
})

test('no two actions share a shortcut', () => {
  const all = ACTIONS.flatMap(({ shortcuts = [] }) => shortcuts)
  assert.deepEqual(
    all.filter((keys, i) => all.indexOf(keys) !== i),
    [],
  )
  assert.equal(new Set(ACTIONS.map(({ id }) => id)).size, ACTIONS.length)
})
