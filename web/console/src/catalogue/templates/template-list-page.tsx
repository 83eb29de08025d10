import { Loading, Page } from '@platen/app/frame'
import type { ListedTemplate } from '@platen/client'
import { Button, EmptyState, Icon, NativeSelect, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link, useSearch } from 'wouter'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { HistorySection } from '../../parts/history/history-section.tsx'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { Pager } from '../../parts/table/pager.tsx'
import { type TableState, useTableState } from '../../parts/table/use-table-state.ts'
import { Time } from '../../parts/time.tsx'
import { Failure } from '../../shell/failure.tsx'
import { CatalogueViews } from '../list/catalogue-views.tsx'
import { allProductsQuery, CATALOGUE, templateListQuery } from '../queries.ts'
import { NewTemplateDialog } from './new-template-dialog.tsx'
import { TemplateDialog } from './template-dialog.tsx'
import { TemplateStatusDialog } from './template-status-dialog.tsx'
import { useTemplateFields } from './use-template-fields.ts'

type Act = { kind: 'change' | 'status'; template: ListedTemplate } | { kind: 'create' }

/** The templates from which customers start, or the archived ones. */
export function TemplateListPage() {
  const { text } = useTexts()
  const state = useTableState<'status'>()
  const templates = useQuery(templateListQuery(queryOf(state)))
  const [act, setAct] = useState<Act>()
  const columns = useColumns(setAct)
  const fields = useTemplateFields()
  useShortcuts([{ keys: 'n', title: 'consoleCatalogue.newTemplate', run: () => setAct({ kind: 'create' }) }])
  const rows = templates.data?.data
  const found = new URLSearchParams(useSearch()).get('template') ?? undefined
  if (templates.error !== null && rows === undefined) {
    return <Failure error={templates.error} onRetry={() => void templates.refetch()} />
  }
  return (
    <Page
      title={text('consoleCatalogue.templates')}
      actions={
        <Button look="primary" onPress={() => setAct({ kind: 'create' })}>
          <Icon name="plus" size={18} />
          {text('consoleCatalogue.newTemplate')}
        </Button>
      }
    >
      <CatalogueViews />
      <p className="note page-help">{text('consoleCatalogue.templatesHelp')}</p>
      <div className="filters labelled">
        <NativeSelect
          label={text('consoleCatalogue.status')}
          choices={[{ id: 'archived', text: text('consoleCatalogue.archivedTemplates') }]}
          value={isArchived(state) ? 'archived' : ''}
          placeholder={text('consoleCatalogue.activeTemplates')}
          onChange={(status) => state.change({ status })}
        />
      </div>
      {rows === undefined ? <Loading /> : null}
      {rows?.length === 0 ? <EmptyState icon="layers" title={text('consoleCatalogue.noTemplates')} /> : null}
      {rows === undefined || rows.length === 0 ? null : (
        <DataTable
          label={text('consoleCatalogue.templates')}
          columns={columns}
          rows={rows}
          keyOf={({ id }) => id}
          current={found}
          isStale={templates.isPlaceholderData}
        />
      )}
      <Pager state={state} nextCursor={templates.data?.nextCursor ?? null} />
      <HistorySection queryKey={CATALOGUE} subject="template" fields={fields} />
      {act?.kind === 'create' ? <NewTemplateDialog onClose={() => setAct(undefined)} /> : null}
      {act?.kind === 'change' ? <TemplateDialog template={act.template} onClose={() => setAct(undefined)} /> : null}
      {act?.kind === 'status' ? (
        <TemplateStatusDialog template={act.template} onClose={() => setAct(undefined)} />
      ) : null}
    </Page>
  )
}

const PAGE_SIZE = 50

const isArchived = (state: TableState<'status'>): boolean => state.get('status') === 'archived'

const queryOf = (state: TableState<'status'>) => ({
  limit: PAGE_SIZE,
  view: 'summary' as const,
  status: isArchived(state) ? ('archived' as const) : ('active' as const),
  ...(state.get('cursor') === '' ? {} : { cursor: state.get('cursor') }),
})

function useColumns(run: (act: Act) => void): readonly Column<ListedTemplate>[] {
  const { text } = useTexts()
  const products = useQuery(allProductsQuery()).data ?? []
  return [
    { id: 'template', title: text('consoleCatalogue.template'), cell: (template) => <TemplateCell {...template} /> },
    {
      id: 'product',
      title: text('consoleCatalogue.product'),
      from: 45,
      cell: ({ productId }) => (
        <Link href={`/catalogue/${productId}`}>{products.find(({ id }) => id === productId)?.name ?? productId}</Link>
      ),
    },
    {
      id: 'categories',
      title: text('consoleCatalogue.categories'),
      from: 45,
      cell: ({ categories }) => (categories.length === 0 ? '–' : categories.join(', ')),
    },
    {
      id: 'changed',
      title: text('consoleCatalogue.changed'),
      from: 60,
      cell: ({ updatedAt }) => <Time at={updatedAt} />,
    },
    {
      id: 'actions',
      title: text('consoleCatalogue.actions'),
      isTitleHidden: true,
      cell: (template) => <TemplateActs template={template} run={run} />,
    },
  ]
}

function TemplateCell({ name, previewUrl, status }: ListedTemplate) {
  return (
    <span className="product-cell">
      {/* The service draws no archived template. */}
      {status === 'archived' ? (
        <span className="product-picture" aria-hidden />
      ) : (
        <img className="product-picture" src={`${previewUrl}?width=160`} alt="" loading="lazy" />
      )}
      {name}
    </span>
  )
}

function TemplateActs({ template, run }: { template: ListedTemplate; run: (act: Act) => void }) {
  const { text } = useTexts()
  const isActive = template.status === 'active'
  const title = isActive ? 'consoleCatalogue.archive' : 'consoleCatalogue.restore'
  useShortcuts([
    ...(isActive
      ? [
          {
            title: 'consoleCatalogue.change' as const,
            of: template.name,
            run: () => run({ kind: 'change', template }),
          },
        ]
      : []),
    { title, of: template.name, run: () => run({ kind: 'status', template }) },
  ])
  const of = <span className="visually-hidden"> {template.name}</span>
  return (
    <div className="actions">
      {isActive ? (
        <Button look="quiet" onPress={() => run({ kind: 'change', template })}>
          {text('consoleCatalogue.change')}
          {of}
        </Button>
      ) : null}
      <Button look="quiet" onPress={() => run({ kind: 'status', template })}>
        {text(title)}
        {of}
      </Button>
    </div>
  )
}
