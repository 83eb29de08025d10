import type { ChangeRecord } from '@platen/client'
import { Button, type MessageKey, useTexts } from '@platen/ui'
import { type QueryKey, useInfiniteQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { problemText } from '../../shell/problem-text.ts'
import { Section } from '../page/section.tsx'
import { changeRecordsQuery } from './queries.ts'

const SHOWN = 5

const TYPES: Readonly<Record<ChangeRecord['type'], MessageKey>> = {
  created: 'consoleHistory.didCreate',
  changed: 'consoleHistory.didChange',
  archived: 'consoleHistory.didArchive',
  restored: 'consoleHistory.didRestore',
  imported: 'consoleHistory.didImport',
  deleted: 'consoleHistory.didDelete',
}

/** Says in words which field a change names, and what its values are. */
export interface FieldTexts {
  /** @param value before the change or, if there was none, after it */
  nameOf(pointer: string, value: unknown): string
  textOf(pointer: string, value: unknown): string
}

interface HistorySectionProps {
  /** Keys of queries begin with this, so that changes on the page read the history again. */
  queryKey: QueryKey
  subject: ChangeRecord['subject']
  /** Without it, the section lists the changes of all records of this kind, with their names. */
  subjectId?: string
  fields: FieldTexts
}

/** Who changed what, newest first. Its texts are in the group `consoleHistory`, which its pages load. */
export function HistorySection({ queryKey, subject, subjectId, fields }: HistorySectionProps) {
  const texts = useTexts()
  const { text } = texts
  const [isWhole, setWhole] = useState(false)
  const history = useInfiniteQuery(changeRecordsQuery(queryKey, subject, subjectId))
  const changes = history.data?.pages.flatMap(({ data }) => data) ?? []
  const isShortened = !isWhole && changes.length > SHOWN
  const showMore = (): void => {
    if (isShortened) setWhole(true)
    else void history.fetchNextPage()
  }
  return (
    <div className="history">
      <Section title={text('consoleHistory.history')}>
        {history.error === null ? null : <p className="note">{problemText(texts, history.error)}</p>}
        {history.data !== undefined && changes.length === 0 ? (
          <p className="note">{text('consoleHistory.noHistory')}</p>
        ) : null}
        <ol className="changes">
          {changes.slice(0, isShortened ? SHOWN : changes.length).map((change) => (
            <ChangeEntry key={change.id} change={change} isNamed={subjectId === undefined} fields={fields} />
          ))}
        </ol>
        {isShortened || history.hasNextPage ? (
          <Button look="quiet" isPending={history.isFetchingNextPage} onPress={showMore}>
            {text('common.showMore')}
          </Button>
        ) : null}
      </Section>
    </div>
  )
}

interface ChangeEntryProps extends Pick<HistorySectionProps, 'fields'> {
  change: ChangeRecord
  isNamed: boolean
}

function ChangeEntry({ change, isNamed, fields }: ChangeEntryProps) {
  const { text, formats } = useTexts()
  const { type, actor, createdAt, changes, subjectName } = change
  const who = actor.name ?? actor.email ?? text('console.deletedAccount')
  const act = text(TYPES[type])
  return (
    <li>
      <p>
        <strong>
          {isNamed && subjectName !== null ? text('consoleHistory.did', { act, name: subjectName }) : act}
        </strong>
      </p>
      <p className="note">
        <time dateTime={createdAt}>{formats.dateTime(createdAt)}</time> · {who}
        {actor.apiKey === undefined ? null : ` · ${actor.apiKey.name ?? actor.apiKey.id}`}
      </p>
      {type === 'created' ? null : (
        <details>
          <summary>{text('consoleHistory.changedFields', { count: changes.length })}</summary>
          <ChangedFields changes={changes} fields={fields} />
        </details>
      )}
    </li>
  )
}

function ChangedFields({ changes, fields }: { changes: ChangeRecord['changes']; fields: FieldTexts }) {
  const { text } = useTexts()
  const { nameOf, textOf } = fields
  return (
    <dl className="changed-fields">
      {changes.map(({ pointer, before, after }) => (
        <div key={pointer}>
          <dt>{nameOf(pointer, before ?? after)}</dt>
          <dd>
            {before === undefined ? null : (
              <del>
                <span className="visually-hidden">{text('consoleHistory.before')} </span>
                {textOf(pointer, before)}
              </del>
            )}
            {after === undefined ? null : (
              <ins>
                <span className="visually-hidden">{text('consoleHistory.after')} </span>
                {textOf(pointer, after)}
              </ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
