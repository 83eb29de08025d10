import type { Product, ProductChange } from '@platen/client'
import { Button, type MessageKey, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Section } from '../../parts/section.tsx'
import { problemText } from '../../shell/problem-text.ts'
import { historyQuery } from '../queries.ts'
import { useFieldTexts } from './field-texts.ts'

const SHOWN = 5

const TYPES: Readonly<Record<ProductChange['type'], MessageKey>> = {
  created: 'consoleCatalogue.didCreate',
  changed: 'consoleCatalogue.didChange',
  archived: 'consoleCatalogue.didArchive',
  restored: 'consoleCatalogue.didRestore',
  imported: 'consoleCatalogue.didImport',
}

/** Who changed what, newest first. */
export function HistorySection({ product }: { product: Product }) {
  const texts = useTexts()
  const { text } = texts
  const [isWhole, setWhole] = useState(false)
  const history = useQuery(historyQuery(product.id))
  const changes = history.data ?? []
  return (
    <Section title={text('consoleCatalogue.history')}>
      {history.error === null ? null : <p className="note">{problemText(texts, history.error)}</p>}
      {history.data?.length === 0 ? <p className="note">{text('consoleCatalogue.noHistory')}</p> : null}
      <ol className="changes">
        {changes.slice(0, isWhole ? changes.length : SHOWN).map((change) => (
          <ChangeEntry key={change.id} change={change} product={product} />
        ))}
      </ol>
      {isWhole || changes.length <= SHOWN ? null : (
        <Button look="quiet" onPress={() => setWhole(true)}>
          {text('common.showMore')}
        </Button>
      )}
    </Section>
  )
}

function ChangeEntry({ change, product }: { change: ProductChange; product: Product }) {
  const { text, formats } = useTexts()
  const { type, actor, createdAt, changes } = change
  const who = actor.name ?? actor.email ?? text('console.deletedAccount')
  return (
    <li>
      <p>
        <strong>{text(TYPES[type])}</strong>
      </p>
      <p className="note">
        <time dateTime={createdAt}>{formats.dateTime(createdAt)}</time> · {who}
        {actor.apiKey === undefined ? null : ` · ${actor.apiKey.name ?? actor.apiKey.id}`}
      </p>
      {type === 'created' ? null : (
        <details>
          <summary>{text('consoleCatalogue.changedFields', { count: changes.length })}</summary>
          <ChangedFields fields={changes} product={product} />
        </details>
      )}
    </li>
  )
}

function ChangedFields({ fields, product }: { fields: ProductChange['changes']; product: Product }) {
  const { text } = useTexts()
  const { nameOf, textOf } = useFieldTexts(product)
  return (
    <dl className="changed-fields">
      {fields.map(({ pointer, before, after }) => (
        <div key={pointer}>
          <dt>{nameOf(pointer, before ?? after)}</dt>
          <dd>
            {before === undefined ? null : (
              <del>
                <span className="visually-hidden">{text('consoleCatalogue.before')} </span>
                {textOf(pointer, before)}
              </del>
            )}
            {after === undefined ? null : (
              <ins>
                <span className="visually-hidden">{text('consoleCatalogue.after')} </span>
                {textOf(pointer, after)}
              </ins>
            )}
          </dd>
        </div>
      ))}
    </dl>
  )
}
