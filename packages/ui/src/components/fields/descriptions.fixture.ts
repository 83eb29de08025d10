// Runs in the test pages: fields in a shadow root.
import { createElement, Fragment } from 'react'
import { createRoot } from 'react-dom/client'
import { Button } from '../actions/button.tsx'
import { Menu } from '../overlays/menu.tsx'
import { OverlayContainer, supportShadowRoots } from '../overlays/overlay-container.tsx'
import { ComboBox } from './combo-box.tsx'
import { NumberField } from './number-field.tsx'
import { Select } from './select.tsx'
import { TextField } from './text-field.tsx'

const list = { choices: [{ id: 'a', text: 'A' }], value: 'a', onChange: () => undefined }

function Fields({ notes }: { notes: { description?: string; error?: string } }) {
  return createElement(
    Fragment,
    {},
    createElement(TextField, { label: 'Text', ...notes }),
    createElement(TextField, { label: 'Lines', rows: 3, ...notes }),
    createElement(NumberField, { label: 'Number', ...notes }),
    createElement(Select, { label: 'Select', ...list, ...notes }),
    createElement(ComboBox, { label: 'Search', openLabel: 'Open', ...list, ...notes }),
  )
}

/** Shows fields with the given notes, and a menu. */
export function show(notes: { description?: string; error?: string }): void {
  supportShadowRoots()
  const host = document.createElement('main')
  document.body.replaceChildren(host)
  const shadow = host.attachShadow({ mode: 'open' })
  const [app, overlays] = [document.createElement('div'), document.createElement('div')]
  shadow.append(app, overlays)
  const trigger = createElement(Button, {}, 'More')
  const actions = [{ id: 'delete', text: 'Delete', shortcut: 'Ctrl+D' }]
  const menu = createElement(Menu, { trigger, 'aria-label': 'Actions', actions })
  const children = createElement(Fragment, {}, createElement(Fields, { notes }), menu)
  createRoot(app).render(createElement(OverlayContainer, { getContainer: () => overlays, children }))
}
