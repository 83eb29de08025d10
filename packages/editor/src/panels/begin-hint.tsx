import { Button, Icon } from '@platen/ui'
import { useEditor, useEditorState } from '../state/use-editor.ts'
import { usePanels } from './services/use-panels.ts'

/** Invites the customer to begin, on the stage of a design without layers. */
export function BeginHint() {
  const { text } = useEditor()
  const { actions } = usePanels()
  const isShown = useEditorState(
    ({ document, isEditable }) => isEditable && document.placements.every(({ layers }) => layers.length === 0),
  )
  if (!isShown) return null
  return (
    <div className="pe-begin" data-pe-own-keys>
      <div className="pe-begin-card">
        <p>{text('begin')}</p>
        <div className="pe-begin-actions">
          <Button onPress={() => actions.run('insertText')}>
            <Icon name="text" size={20} />
            {text('beginText')}
          </Button>
          <Button onPress={() => actions.run('insertImage')}>
            <Icon name="image" size={20} />
            {text('beginPhoto')}
          </Button>
        </div>
        <p className="pe-begin-note">{text('beginNote')}</p>
      </div>
    </div>
  )
}
