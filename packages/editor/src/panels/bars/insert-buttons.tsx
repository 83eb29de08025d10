import { Button, Icon, Menu } from '@platen/ui'
import { useEditor, useEditorState } from '../../state/use-editor.ts'
import { usePanels } from '../services/use-panels.ts'
import { ActionButton } from './action-button.tsx'

/** Buttons that insert each kind of layer. */
export function InsertButtons() {
  const { text } = useEditor()
  const { actions } = usePanels()
  const isEditable = useEditorState((state) => state.isEditable)
  const shape = (id: 'insertRectangle' | 'insertEllipse' | 'insertLine') => ({
    id,
    text: text(id),
    onAction: () => actions.run(id),
  })
  return (
    <>
      <ActionButton action="insertText" icon="text" isLabelled />
      <ActionButton action="insertImage" icon="image" isLabelled />
      <Menu
        aria-label={text('insertShape')}
        placement="bottom start"
        trigger={
          <Button look="quiet" className="pe-labelled" isDisabled={!isEditable} aria-label={text('insertShape')}>
            <Icon name="shapes" />
            <span className="pe-button-label">{text('insertShape')}</span>
          </Button>
        }
        actions={[shape('insertRectangle'), shape('insertEllipse'), shape('insertLine')]}
      />
      <ActionButton action="insertQr" icon="qr" isLabelled />
    </>
  )
}
