import { Tabs } from '@platen/ui'
import { useEditor, useEditorState } from '../../state/use-editor.ts'

/** The print areas of the product. A product with one print area needs no tabs. */
export function SideTabs() {
  const { store, text, sideName } = useEditor()
  const areas = useEditorState((state) => state.product.printAreas)
  const shown = useEditorState((state) => state.printAreaId)
  if (areas.length < 2) return null
  return (
    <Tabs
      aria-label={text('sides')}
      className="pe-sides"
      selectedKey={shown}
      onSelectionChange={(id) => store.show(id)}
      items={areas.map((area) => ({ id: area.id, title: sideName(area) }))}
    />
  )
}
