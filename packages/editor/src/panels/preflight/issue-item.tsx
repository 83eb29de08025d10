import type { JsonPatch } from '@platen/drawing'
import { Button, classes, Icon } from '@platen/ui'
import { applyFix } from '../../document/apply-fix.ts'
import { useEditor } from '../../state/use-editor.ts'

/** An issue as the panel shows it. */
export interface IssueView {
  key: string
  severity: 'error' | 'warning'
  words: string
  /** The names of the side and the layer. */
  place: string
  layerId: string | undefined
  printAreaId: string | undefined
  /** Undefined if there is none, or it may not be applied. */
  fix: JsonPatch | undefined
  /** What the fix does. */
  fixWords: string
  /** Whether a lock forbids the fix. */
  isLocked: boolean
}

export function IssueItem({ view }: { view: IssueView }) {
  const { store, text, announce } = useEditor()
  const { severity, words, place, layerId, printAreaId, fix, fixWords, isLocked } = view
  const show = (): void => {
    if (layerId !== undefined) store.select([layerId])
    else if (printAreaId !== undefined) store.show(printAreaId)
    announce(text('issueShown', { place }))
  }
  const apply = (): void => {
    if (fix === undefined) return
    store.endStep()
    store.edit((document) => applyFix(document, fix))
    announce(text('issueFixed', { fix: fixWords }))
  }
  return (
    <li className={classes('pe-issue', severity)}>
      <Icon name={severity === 'error' ? 'error' : 'warning'} />
      <div className="pe-issue-text">
        {place === '' ? null : (
          <p className="pe-issue-place" dir="auto">
            {place}
          </p>
        )}
        <p>{words}</p>
        {isLocked ? <p className="pe-reason">{text('fixLocked')}</p> : null}
        <div className="pe-row">
          {layerId === undefined && printAreaId === undefined ? null : (
            <Button onPress={show} aria-label={text('showIssue', { issue: words })}>
              {text('show')}
            </Button>
          )}
          {fix === undefined ? null : (
            <Button onPress={apply} aria-label={text('fixIssue', { fix: fixWords, issue: words })}>
              {fixWords}
            </Button>
          )}
        </div>
      </div>
    </li>
  )
}
