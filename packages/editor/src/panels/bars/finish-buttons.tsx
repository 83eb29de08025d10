import { Button, classes, Icon, type IconName } from '@platen/ui'
import { countIssues, isNotBegun } from '../../document/count-issues.ts'
import { useEditor, useEditorState } from '../../state/use-editor.ts'
import { usePanels } from '../services/use-panels.ts'

/** Shows how many problems and hints preflight has found, and opens their list. */
export function PreflightButton() {
  const { text } = useEditor()
  const { view } = usePanels()
  const report = useEditorState((state) => state.report)
  const isStart = useEditorState((state) => isNotBegun(state.document, state.report))
  const counts = isStart ? countIssues(undefined) : countIssues(report)
  const { errors, warnings } = counts
  const label = isStart ? text('preflightEmpty') : text('preflightCounts', { errors, warnings })
  return (
    <Button
      look="quiet"
      className="pe-preflight-button"
      aria-label={report === undefined ? text('preflightRunning') : label}
      onPress={() => view.show('preflight')}
    >
      {errors > 0 ? <Count tone="danger" icon="error" count={errors} /> : null}
      {warnings > 0 ? <Count tone="warning" icon="warning" count={warnings} /> : null}
      {errors + warnings > 0 ? null : (
        <span className={classes('pe-count', report !== undefined && !isStart && 'good')}>
          <Icon name={isStart ? 'info' : 'check'} />
        </span>
      )}
    </Button>
  )
}

function Count({ tone, icon, count }: { tone: 'danger' | 'warning'; icon: IconName; count: number }) {
  return (
    <span className={`pe-count ${tone}`} aria-hidden>
      <Icon name={icon} size={20} />
      {count}
    </span>
  )
}

/** Finalizes the design, or shows what stands in the way. */
export function FinalizeButton() {
  const { store, text, announce } = useEditor()
  const { host, view } = usePanels()
  const isEditable = useEditorState((state) => state.isEditable)
  const isFinalizing = useEditorState((state) => state.isFinalizing)
  const finish = (): void => {
    const { document, report } = store.get()
    const { errors, warnings } = countIssues(report)
    if (errors === 0) {
      host.finalize()
      return
    }
    view.show('preflight')
    announce(isNotBegun(document, report) ? text('startHint') : text('errorsInTheWay', { errors, warnings }))
  }
  return (
    <Button look="primary" className="pe-finalize" isDisabled={!isEditable} onPress={finish}>
      {text(isFinalizing ? 'finalizing' : 'finalize')}
    </Button>
  )
}
