import { Button, Menu } from '@platen/ui'
import { useEditor, useEditorState } from '../../state/use-editor.ts'
import { usePanels } from '../services/use-panels.ts'
import { ActionButton } from './action-button.tsx'

/** CSS defines 96 pixels as an inch. */
const ACTUAL_PX_PER_MM = 96 / 25.4

export function ZoomControl() {
  const { text, locale } = useEditor()
  const { actions } = usePanels()
  const pxPerMm = useEditorState((state) => state.view?.pxPerMm)
  const percent =
    pxPerMm === undefined ? '…' : new Intl.NumberFormat(locale, { style: 'percent' }).format(pxPerMm / ACTUAL_PX_PER_MM)
  return (
    <div className="pe-zoom">
      <ActionButton action="zoomOut" icon="zoom-out" />
      <Menu
        aria-label={text('zoomNow', { percent })}
        trigger={
          <Button look="quiet" className="pe-zoom-value" aria-label={text('zoomNow', { percent })}>
            {percent}
          </Button>
        }
        actions={[
          { id: 'fit', text: text('zoomFit'), icon: 'fit', onAction: () => actions.run('zoomFit') },
          { id: 'actual', text: text('zoomActual'), icon: 'zoom', onAction: () => actions.run('zoomActual') },
        ]}
      />
      <ActionButton action="zoomIn" icon="zoom" />
    </div>
  )
}
