import { Button, Icon, Menu } from '@platen/ui'
import { useEditor, useEditorState } from '../../state/use-editor.ts'
import { usePanels } from '../services/use-panels.ts'
import { PanelTabs } from './panel-tabs.tsx'

const INSERTED = [
  ['insertText', 'text'],
  ['insertImage', 'image'],
  ['insertRectangle', 'shapes'],
  ['insertEllipse', 'shapes'],
  ['insertLine', 'path'],
  ['insertQr', 'qr'],
] as const

/** The tools on phones, within reach of a thumb. */
export function BottomBar() {
  const { text } = useEditor()
  const { actions, view } = usePanels()
  const isEditable = useEditorState((state) => state.isEditable)
  // An open panel would hide what is inserted. Some actions open another one.
  const insert = (id: (typeof INSERTED)[number][0]): void => {
    view.show(undefined)
    actions.run(id)
  }
  return (
    <footer className="pe-bottom-bar" part="bottom-bar" data-pe-own-keys>
      <Menu
        aria-label={text('insert')}
        placement="top start"
        trigger={
          <Button look="primary" className="pe-insert" isDisabled={!isEditable} aria-label={text('insert')}>
            <Icon name="plus" />
          </Button>
        }
        actions={INSERTED.map(([id, icon]) => ({ id, icon, text: text(id), onAction: () => insert(id) }))}
      />
      <PanelTabs />
    </footer>
  )
}
