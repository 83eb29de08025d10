// Runs in the test pages: an editor with the views of saving.
import { createTranslator, type Translator } from '@platen/ui'
import de from '@platen/ui/messages/de.json' with { type: 'json' }
import en from '@platen/ui/messages/en.json' with { type: 'json' }
import { createElement, Fragment, useState } from 'react'
import { createRoot } from 'react-dom/client'
import { layersOf } from '../../document/layers.ts'
import type { EditorMessage } from '../../messages.ts'
import { EditorContext } from '../../state/use-editor.ts'
import { type Opening, openEditor } from '../journal/page-kit.fixture.ts'
import { Conflicts, Revisions } from './dialogs.tsx'
import type { RevisionsDialogProps } from './revisions-dialog.tsx'
import { SaveNotices } from './save-notices.tsx'
import { SaveStatus } from './save-status.tsx'
import { SavingContext } from './use-saving.ts'

/** Notes the layers of the side, so that a test sees what was drawn. */
const renderPreview: RevisionsDialogProps['renderPreview'] = (document, { id }, canvas) => {
  canvas.width = 300
  canvas.height = 200
  canvas.dataset['layers'] = layersOf(document, id)
    .map((layer) => layer.id)
    .join(' ')
  canvas.getContext('2d')?.fillRect(20, 20, 100, 50)
  return () => undefined
}

function Views() {
  const [isOpen, setOpen] = useState(false)
  return createElement(
    Fragment,
    {},
    createElement('h1', {}, 'Editor'),
    createElement(SaveStatus),
    createElement('button', { type: 'button', onClick: () => setOpen(true) }, 'History'),
    createElement(SaveNotices),
    createElement(Conflicts),
    isOpen ? createElement(Revisions, { onClose: () => setOpen(false), renderPreview }) : null,
  )
}

/** Opens an editor of a design, and shows the views. */
export async function show(opening: Opening, locale: 'en' | 'de' = 'en') {
  const editor = await openEditor(opening)
  const messages = { en: en.editor, de: de.editor }
  const { text }: Translator<EditorMessage> = createTranslator<EditorMessage>(locale, messages[locale], en.editor)
  const services = {
    store: editor.store,
    client: editor.client,
    text,
    locale,
    sideName: ({ name }: { name: string }) => name,
    announce: () => undefined,
    refuse: () => undefined,
  }
  const main = document.createElement('main')
  document.body.append(main)
  const views = createElement(SavingContext, { value: editor.saver }, createElement(Views))
  createRoot(main).render(createElement(EditorContext, { value: services }, views))
  return editor
}
