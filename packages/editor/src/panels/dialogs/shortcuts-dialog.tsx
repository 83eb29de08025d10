import { Dialog } from '@platen/ui'
import { ACTIONS, type ActionGroup } from '../../actions/index.ts'
import type { EditorMessage } from '../../messages.ts'
import { useEditor } from '../../state/use-editor.ts'
import { usePanels } from '../services/use-panels.ts'

const GROUPS: Readonly<Record<ActionGroup, EditorMessage>> = {
  editing: 'groupEditing',
  inserting: 'groupInserting',
  arranging: 'groupArranging',
  layers: 'groupLayers',
  viewing: 'groupViewing',
}

/** Lists the keys of all actions. */
export function ShortcutsDialog({ onClose }: { onClose(): void }) {
  const { text } = useEditor()
  return (
    <Dialog title={text('shortcuts')} isOpen onClose={onClose} closeLabel={text('closePanel')} size="large">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls what has the focus */}
      <section className="pe-shortcuts" tabIndex={0} aria-label={text('shortcuts')}>
        {(Object.keys(GROUPS) as ActionGroup[]).map((group) => (
          <ShortcutGroup key={group} group={group} />
        ))}
      </section>
    </Dialog>
  )
}

function ShortcutGroup({ group }: { group: ActionGroup }) {
  const { text } = useEditor()
  const { actions } = usePanels()
  const listed = ACTIONS.filter((action) => action.group === group && action.shortcuts !== undefined)
  if (listed.length === 0) return null
  return (
    <section>
      <h3>{text(GROUPS[group])}</h3>
      <dl>
        {listed.map(({ id, label }) => (
          <div key={id} className="pe-shortcut">
            <dt>{text(label)}</dt>
            <dd>
              <kbd>{actions.shortcutText(id)}</kbd>
            </dd>
          </div>
        ))}
      </dl>
    </section>
  )
}
