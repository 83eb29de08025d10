import { Button, Icon } from '@platen/ui'
import { useEditor, useEditorState } from '../../state/use-editor.ts'
import { countIssues } from '../preflight/count-issues.ts'
import { usePanels } from '../services/use-panels.ts'

/** Shows how many issues preflight has found, and opens their list. */
export function PreflightButton() {
  const { text } = useEditor()
  const { view } = usePanels()
  const report = useEditorState((state) => state.report)
  const { errors, warnings } = countIssues(report)
  const label = report === undefined ? text('preflightRunning') : text('preflightCounts', { errors, warnings })
  const tone = errors > 0 ? 'danger' : warnings > 0 ? 'warning' : 'good'
  return (
    <Button
      look="quiet"
      className={`pe-preflight-button ${report === undefined ? '' : tone}`}
      aria-label={label}
      onPress={() => view.show('preflight')}
    >
      <Icon name={errors > 0 ? 'error' : warnings > 0 ? 'warning' : 'check'} />
      {errors + warnings > 0 ? <span aria-hidden>{errors + warnings}</span> : null}
    </Button>
  )
}

/** Finalizes the design, or shows what stands in the way. */
export function FinalizeButton() {
  const { store, text, announce } = useEditor()
  const { host, view } = usePanels()
  const isEditable = useEditorState((state) => state.isEditable)
  const isFinalizing = useEditorState((state) => state.isFinalizing)
  const finish = (): void => {
    const { errors } = countIssues(store.get().report)
    if (errors === 0) {
      host.finalize()
      return
    }
    view.show('preflight')
    announce(text('errorsInTheWay', { count: errors }))
  }
  return (
    <Button look="primary" className="pe-finalize" isDisabled={!isEditable} onPress={finish}>
      {text(isFinalizing ? 'finalizing' : 'finalize')}
    </Button>
  )
}
