import type { OrderStatistics } from '@platen/client'
import { Banner, Skeleton, useTexts } from '@platen/ui'
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { Link, useSearch } from 'wouter'
import { BarChart } from '../parts/bar-chart.tsx'
import { Section } from '../parts/page/section.tsx'
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

type CurrencyFigures = OrderStatistics['currencies'][number]

function Currency({ figures }: { figures: CurrencyFigures }) {
  const { text, formats } = useTexts()
  const { currency } = figures
  const money = (amount: number): string => formats.money({ amount, currency })
  return (
    <div className="currency">
      <dl className="totals">
        <Total name={text('console.taken')} value={money(figures.capturedAmount)} />
        <Total name={text('console.refunded')} value={money(figures.refundedAmount)} />
        <Total name={text('console.ordered')} value={money(figures.orderedAmount)} />
        <Total name={text('console.orders')} value={formats.number(figures.orders)} />
      </dl>
      <Charts figures={figures} money={money} />
    </div>
  )
}

interface ChartsProps {
  figures: CurrencyFigures
  money(amount: number): string
}

/** Takings and volume of each day or, for a single day, of each hour. */
function Charts({ figures: { days, hours }, money }: ChartsProps) {
  const { text, formats } = useTexts()
  const isOfHours = days.length < 2
  const bars = isOfHours
    ? (hours ?? []).map(({ hour, ...sums }) => ({ id: hour, label: formats.time(hour), ...sums }))
    : days.map(({ day, ...sums }) => ({ id: day, label: formats.date(`${day}T00:00:00`), ...sums }))
  // A service of the release before sends no hours.
  if (bars.length === 0) return null
  const labelTitle = text(isOfHours ? 'console.hour' : 'console.day')
  return (
    <div className="charts">
      <BarChart
        title={text(isOfHours ? 'console.takenByHour' : 'console.takenByDay')}
        labelTitle={labelTitle}
        bars={bars.map(({ capturedAmount, ...bar }) => ({ ...bar, value: capturedAmount }))}
        format={money}
      />
      <BarChart
        title={text(isOfHours ? 'console.ordersByHour' : 'console.ordersByDay')}
        labelTitle={labelTitle}
        bars={bars.map(({ orders, ...bar }) => ({ ...bar, value: orders }))}
        format={(value) => formats.number(value)}
      />
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
