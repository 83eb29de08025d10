import type { OrderStatistics } from '@platen/client'
import { Banner, Skeleton, useTexts } from '@platen/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from 'wouter'
import { BarChart } from '../parts/bar-chart.tsx'
import { Section } from '../parts/section.tsx'
import { problemText } from '../shell/problem-text.ts'
import { statisticsQuery } from './queries.ts'

const PERIODS = [1, 7, 30, 90] as const
const DEFAULT_DAYS = 30

/** Takings and volume of the last days. The period is in the URL. */
export function Figures() {
  const texts = useTexts()
  const { text } = texts
  const asked = Number(new URLSearchParams(useSearch()).get('days') ?? DEFAULT_DAYS)
  const days = PERIODS.find((period) => period === asked) ?? DEFAULT_DAYS
  const statistics = useQuery({ ...statisticsQuery(days), placeholderData: keepPreviousData })
  return (
    <Section title={text('console.figures')} action={<Periods days={days} />}>
      {statistics.error === null ? null : <Banner tone="danger">{problemText(texts, statistics.error)}</Banner>}
      {statistics.isPending ? <Skeleton shape="block" /> : null}
      {statistics.data?.currencies.length === 0 ? <p className="note">{text('console.noFigures')}</p> : null}
      {statistics.data?.currencies.map((figures) => (
        <Currency key={figures.currency} figures={figures} />
      ))}
    </Section>
  )
}

function Periods({ days: present }: { days: number }) {
  const { text } = useTexts()
  return (
    <nav className="views periods" aria-label={text('console.period')}>
      <ul>
        {PERIODS.map((days) => (
          <li key={days}>
            <Link href={`/today?days=${days}`} replace {...(days === present ? { 'aria-current': 'page' } : {})}>
              {days === 1 ? text('console.today') : text('console.lastDays', { count: days })}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function Currency({ figures }: { figures: OrderStatistics['currencies'][number] }) {
  const { text, formats } = useTexts()
  const { currency, days } = figures
  const money = (amount: number): string => formats.money({ amount, currency })
  const dayOf = (day: string): string => formats.date(`${day}T00:00:00`)
  return (
    <div className="currency">
      <dl className="totals">
        <Total name={text('console.taken')} value={money(figures.capturedAmount)} />
        <Total name={text('console.refunded')} value={money(figures.refundedAmount)} />
        <Total name={text('console.ordered')} value={money(figures.orderedAmount)} />
        <Total name={text('console.orders')} value={formats.number(figures.orders)} />
      </dl>
      {days.length < 2 ? null : (
        <div className="charts">
          <BarChart
            title={text('console.takenByDay')}
            labelTitle={text('console.day')}
            bars={days.map((day) => ({ label: dayOf(day.day), value: day.capturedAmount }))}
            format={money}
          />
          <BarChart
            title={text('console.ordersByDay')}
            labelTitle={text('console.day')}
            bars={days.map((day) => ({ label: dayOf(day.day), value: day.orders }))}
            format={(value) => formats.number(value)}
          />
        </div>
      )}
    </div>
  )
}

function Total({ name, value }: { name: string; value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  )
}
