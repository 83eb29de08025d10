import type { OrderItem } from '@platen/client'
import { type Formats, useTexts } from '@platen/ui'
import { Pill } from '../../../parts/pill.tsx'

type Report = NonNullable<OrderItem['preflight']>
type Issue = Report['issues'][number]

/** What preflight reported when the design of an item was finalized. */
export function ItemPreflight({ report }: { report: Report | undefined }) {
  const { text } = useTexts()
  if (report === undefined) return null
  const { issues, issueCount } = report
  if (issueCount === 0) return <p className="note item-preflight">{text('console.preflightClean')}</p>
  const left = issueCount - issues.length
  return (
    <section className="item-preflight" aria-label={text('console.preflight')}>
      <h4>{text('console.preflightCount', { count: issueCount })}</h4>
      <ul>
        {issues.map((issue) => (
          <IssueRow key={`${issue.code} ${issue.pointer}`} issue={issue} />
        ))}
      </ul>
      {left === 0 ? null : <p className="note">{text('console.preflightMore', { count: left })}</p>}
    </section>
  )
}

function IssueRow({ issue }: { issue: Issue }) {
  const { text, formats } = useTexts()
  const { code, severity, layer, message, measured, limit, unit } = issue
  const isError = severity === 'error'
  return (
    <li>
      <Pill tone={isError ? 'danger' : 'warning'}>
        {text(isError ? 'console.severityError' : 'console.severityWarning')}
      </Pill>
      <div>
        {layer === undefined ? null : (
          <p className="issue-layer" dir="auto">
            {layer.name ?? text('console.preflightLayer', { type: layer.type })}
          </p>
        )}
        <p>
          {text('console.preflightIssue', {
            ...{ code, message },
            measured: amountText(formats, measured, unit),
            limit: amountText(formats, limit, unit),
          })}
        </p>
        <p className="note">
          <code>{code}</code>
        </p>
      </div>
    </li>
  )
}

/** Writes a measure. A resolution below its limit is rounded down, so that it never looks like the limit. */
function amountText(formats: Formats, value: number | undefined, unit = ''): string {
  if (value === undefined) return ''
  if (unit === 'dpi') return `${formats.number(Math.floor(value))}\u00a0dpi`
  return `${formats.number(value, { maximumFractionDigits: 2 })}\u00a0${unit}`.trimEnd()
}
