import { Loading, Page } from '@platen/app/frame'
import type { ShippingMethodSettings } from '@platen/client'
import { EmptyState, Icon, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { Link, useLocation } from 'wouter'
import { useShortcuts } from '../../keys/shortcuts.ts'
import { HistorySection } from '../../parts/history/history-section.tsx'
import { Pill } from '../../parts/pill.tsx'
import { type Column, DataTable } from '../../parts/table/data-table.tsx'
import { noteOpened, usePlace } from '../../parts/table/use-place.ts'
import { Failure } from '../../shell/failure.tsx'
import { methodListQuery, SETTINGS } from '../queries.ts'
import { SettingsViews } from '../settings-views.tsx'
import { Calculator } from './calculator.tsx'
import { useCountryName } from './use-country-name.ts'
import { useMethodFields } from './use-method-fields.ts'

const PATH = '/settings/shipping'

/** A zone of more countries is named by itself. */
const MOST_NAMED = 5

export function MethodListPage() {
  const { text } = useTexts()
  const methods = useQuery(methodListQuery())
  const rows = methods.data
  const lastOpened = usePlace(PATH, rows !== undefined)
  const columns = useColumns()
  const fields = useMethodFields()
  const [, navigate] = useLocation()
  useShortcuts([{ keys: 'n', title: 'consoleSettings.newMethod', moves: true, run: () => navigate(`${PATH}/new`) }])
  if (methods.error !== null && rows === undefined) {
    return <Failure error={methods.error} onRetry={() => void methods.refetch()} />
  }
  return (
    <Page
      title={text('consoleSettings.shippingMethods')}
      actions={
        <Link href={`${PATH}/new`} className="pl-button primary">
          <Icon name="plus" size={18} />
          {text('consoleSettings.newMethod')}
        </Link>
      }
    >
      <SettingsViews />
      {rows === undefined ? (
        <Loading />
      ) : (
        <div className="columns">
          <div className="column">
            {rows.length === 0 ? (
              <EmptyState icon="package" title={text('consoleSettings.noMethods')}>
                {text('consoleSettings.noMethodsHelp')}
              </EmptyState>
            ) : (
              <DataTable
                label={text('consoleSettings.shippingMethods')}
                columns={columns}
                rows={rows}
                keyOf={({ id }) => id}
                current={lastOpened}
              />
            )}
            <HistorySection queryKey={SETTINGS} subject="shipping_method" fields={fields} />
          </div>
          <div className="column">
            <Calculator />
          </div>
        </div>
      )}
    </Page>
  )
}

function useColumns(): readonly Column<ShippingMethodSettings>[] {
  const { text, locale } = useTexts()
  const nameOf = useCountryName()
  const { compare } = new Intl.Collator(locale)
  const destinationsOf = ({ name, countries }: ShippingMethodSettings['zones'][number], index: number): string =>
    countries.length > MOST_NAMED
      ? text('consoleSettings.zoneCountries', {
          name: name ?? text('consoleSettings.zone', { number: index + 1 }),
          count: countries.length,
        })
      : countries.map(nameOf).sort(compare).join(', ')
  return [
    {
      id: 'name',
      title: text('consoleSettings.name'),
      cell: ({ id, name }) => (
        <Link href={`${PATH}/${id}`} className="row-link" data-row onClick={() => noteOpened(PATH, id)}>
          {name}
        </Link>
      ),
    },
    {
      id: 'days',
      title: text('consoleSettings.deliveryTime'),
      from: 30,
      cell: ({ estimatedDays }) => text('consoleSettings.days', estimatedDays),
    },
    {
      id: 'destinations',
      title: text('consoleSettings.destinations'),
      from: 45,
      cell: ({ zones }) => zones.map(destinationsOf).join('; '),
    },
    {
      id: 'status',
      title: text('console.status'),
      cell: ({ active }) => (
        <Pill tone={active ? 'good' : 'neutral'}>
          {text(active ? 'consoleSettings.offered' : 'consoleSettings.notOffered')}
        </Pill>
      ),
    },
  ]
}
