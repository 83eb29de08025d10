import { DOCUMENT_LIMITS, listPlaceholders } from '@platen/drawing'
import { Button, EmptyState, TextField } from '@platen/ui'
import { useMemo } from 'react'
import { useEditor, useEditorState } from '../../state/use-editor.ts'
import { usePanels } from '../services/use-panels.ts'

/** A form for the placeholders of the design. The stage shows the values at once. */
export function TemplateForm() {
  const { store, text } = useEditor()
  const { view } = usePanels()
  const document = useEditorState((state) => state.document)
  const data = useEditorState((state) => state.data)
  const names = useMemo(() => listPlaceholders(document), [document])
  if (names.length === 0) {
    return (
      <EmptyState icon="edit" title={text('noPlaceholders')} level={3}>
        {text('noPlaceholdersHint', { example: '{{name}}' })}
      </EmptyState>
    )
  }
  const change = (name: string, value: string): void => {
    const { [name]: _, ...others } = store.get().data
    const clean = value.replaceAll('\0', '').toWellFormed()
    store.set({ data: clean === '' ? others : { ...others, [name]: clean } })
  }
  return (
    <div className="pe-placeholders">
      <p className="pe-hint">{text('placeholdersHint')}</p>
      {names.map((name) => (
        <TextField
          key={name}
          label={name}
          value={Object.hasOwn(data, name) ? (data[name] ?? '') : ''}
          maxLength={DOCUMENT_LIMITS.textLength}
          onChange={(value) => change(name, value)}
        />
      ))}
      <Button onPress={() => view.open('csv')}>{text('fillFromCsv')}</Button>
    </div>
  )
}
