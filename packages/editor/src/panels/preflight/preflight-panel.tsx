import type { PreflightIssue, PreflightReport } from '@platen/drawing'
import { Banner, Button, Skeleton } from '@platen/ui'
import { useEffect, useRef } from 'react'
import { layerName } from '../../actions/index.ts'
import { applyFix, isFixLocked, layerAtPointer, printAreaAtPointer } from '../../document/apply-fix.ts'
import { countIssues, isNotBegun } from '../../document/count-issues.ts'
import type { EditorState } from '../../state/editor-state.ts'
import { type EditorServices, useEditor, useEditorState } from '../../state/use-editor.ts'
import { FinalizeButton } from '../bars/finish-buttons.tsx'
import { fixText } from './fix-texts.ts'
import { IssueItem, type IssueView } from './issue-item.tsx'
import { issueText } from './issue-texts.ts'

/** What preflight has found, and how to mend it. */
export function PreflightPanel() {
  const { text } = useEditor()
  const report = useEditorState((state) => state.report)
  if (report === undefined) {
    return (
      <div aria-busy="true">
        <p className="pe-hint">{text('preflightRunning')}</p>
        <Skeleton />
      </div>
    )
  }
  return <Report report={report} />
}

function Report({ report }: { report: PreflightReport }) {
  const services = useEditor()
  const { text } = services
  const state = useEditorState((present) => present)
  const fixAll = useFixAll()
  if (isNotBegun(state.document, report)) return <Banner>{text('startHint')}</Banner>
  const { errors, warnings } = countIssues(report)
  const views = report.issues.map((issue, i) => viewOf(issue, `${issue.code} ${issue.pointer} ${i}`, state, services))
  const fixable = views.filter(({ fix }) => fix !== undefined).length
  return (
    <div className="pe-preflight">
      {errors > 0 ? (
        <Banner tone="danger">{text('errorsInTheWay', { errors, warnings })}</Banner>
      ) : (
        <Banner tone={warnings > 0 ? 'warning' : 'good'}>
          {text(warnings > 0 ? 'preflightWarningsOnly' : 'preflightClean')}
        </Banner>
      )}
      {fixable > 1 && state.isEditable ? <Button onPress={fixAll}>{text('fixAll', { count: fixable })}</Button> : null}
      <IssueList
        title={text('errors', { count: errors })}
        views={views.filter(({ severity }) => severity === 'error')}
      />
      <IssueList
        title={text('warnings', { count: warnings })}
        views={views.filter(({ severity }) => severity === 'warning')}
      />
      {errors === 0 ? <FinalizeButton /> : null}
    </div>
  )
}

function IssueList({ title, views }: { title: string; views: readonly IssueView[] }) {
  if (views.length === 0) return null
  return (
    <section>
      <h3>{title}</h3>
      <ul className="pe-issues">
        {views.map((view) => (
          <IssueItem key={view.key} view={view} />
        ))}
      </ul>
    </section>
  )
}

function viewOf(issue: PreflightIssue, key: string, state: EditorState, services: EditorServices): IssueView {
  const { document, product, isEditable } = state
  const { text, locale } = services
  const layer = layerAtPointer(document, issue.pointer)
  const printAreaId = printAreaAtPointer(document, issue.pointer) ?? emptyAreaOf(state, issue)
  const area = product.printAreas.find(({ id }) => id === printAreaId)
  const side = area === undefined ? '' : services.sideName(area)
  const isLocked = issue.fix !== undefined && isFixLocked(document, issue.fix)
  const names = { layer: layer === undefined ? '' : layerName(layer, text), side }
  return {
    key,
    severity: issue.severity,
    words: issueText(issue, names, text, locale),
    place: [side, names.layer].filter((name) => name !== '').join(' · '),
    layerId: layer?.id,
    printAreaId,
    fix: isEditable && !isLocked ? issue.fix : undefined,
    fixWords: layer === undefined ? text('fix') : fixText(issue, layer, text, locale),
    isLocked,
  }
}

/** The pointer to a print area without a placement leads to no area. */
function emptyAreaOf({ document, product }: EditorState, { code }: PreflightIssue): string | undefined {
  if (code !== 'print_area_empty') return undefined
  const used = new Set(document.placements.filter(({ layers }) => layers.length > 0).map((one) => one.printAreaId))
  return product.printAreas.find(({ id, required }) => required && !used.has(id))?.id
}

const MOST_ROUNDS = 20

/**
 * Returns a function that applies all fixes as one step of undo. A fix fits the document that preflight has checked, so
 * each layer gets one fix for each report, until a report has no more fixes.
 */
function useFixAll(): () => void {
  const { store, announce, text } = useEditor()
  const stop = useRef<() => void>(undefined)
  useEffect(() => () => stop.current?.(), [])
  return () => {
    stop.current?.()
    store.endStep()
    let seen: PreflightReport | undefined
    let own = store.get().document
    let rounds = 0
    const finish = (): void => {
      unsubscribe()
      store.endStep()
      stop.current = undefined
    }
    const step = (): void => {
      const { report, document } = store.get()
      // After a change by the customer, no fix may follow unasked.
      if (document !== own) {
        finish()
        return
      }
      if (report === undefined || report === seen) return
      seen = report
      const next = firstFixes(report, document).reduce(applyFix, document)
      if (next === document || ++rounds > MOST_ROUNDS) {
        finish()
        announce(text('allFixed'))
        return
      }
      own = next
      store.edit(() => next, { mergeKey: 'fixAll' })
    }
    const unsubscribe = store.subscribe(step)
    stop.current = finish
    step()
  }
}

function firstFixes({ issues }: PreflightReport, document: EditorState['document']) {
  const seen = new Set<string>()
  return issues.flatMap(({ fix, pointer }) => {
    const layerId = layerAtPointer(document, pointer)?.id
    if (fix === undefined || layerId === undefined || seen.has(layerId) || isFixLocked(document, fix)) return []
    seen.add(layerId)
    return [fix]
  })
}
