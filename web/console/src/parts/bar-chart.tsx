import { useTexts } from '@platen/ui'
import { type PointerEvent, useState } from 'react'

export interface Bar {
  /** Labels may repeat: where clocks go back, an hour of a day occurs twice. */
  id: string
  label: string
  value: number
}

export interface BarChartProps {
  title: string
  /** What the labels are, such as "Day". */
  labelTitle: string
  bars: readonly Bar[]
  format(value: number): string
}

/** Units of the drawing, which is as wide as its column. */
const HEIGHT = 100
const STEP = 10

/** A chart of one series. The same figures are in a table, for screen readers and for those who want them exactly. */
export function BarChart({ title, labelTitle, bars, format }: BarChartProps) {
  const { text } = useTexts()
  const [pointed, setPointed] = useState<number>()
  const highest = Math.max(1, ...bars.map(({ value }) => value))
  const total = bars.reduce((sum, { value }) => sum + value, 0)
  const width = bars.length * STEP
  const shown = pointed === undefined ? undefined : bars[pointed]
  const point = (event: PointerEvent<SVGSVGElement>): void => {
    const box = event.currentTarget.getBoundingClientRect()
    const share = (event.clientX - box.left) / box.width
    setPointed(Math.min(bars.length - 1, Math.max(0, Math.floor(share * bars.length))))
  }
  return (
    <figure className="chart">
      <figcaption>
        <span>{title}</span>
        <span className="note">{shown === undefined ? format(total) : `${shown.label}: ${format(shown.value)}`}</span>
      </figcaption>
      <div className="chart-plot">
        <span className="chart-top" aria-hidden>
          {format(highest)}
        </span>
        <svg
          viewBox={`0 0 ${width} ${HEIGHT}`}
          preserveAspectRatio="none"
          aria-hidden="true"
          onPointerMove={point}
          onPointerDown={point}
          onPointerLeave={() => setPointed(undefined)}
        >
          <line x1="0" x2={width} y1="0.5" y2="0.5" className="chart-line" />
          {bars.map(({ id, value }, index) => {
            const height = (value / highest) * (HEIGHT - 1)
            return (
              <rect
                key={id}
                className={index === pointed ? 'pointed' : ''}
                x={index * STEP + 1}
                width={STEP - 2}
                y={HEIGHT - height}
                height={height}
              />
            )
          })}
          <line x1="0" x2={width} y1={HEIGHT - 0.5} y2={HEIGHT - 0.5} className="chart-line" />
        </svg>
        <div className="chart-ends" aria-hidden>
          <span>{bars[0]?.label}</span>
          <span>{bars.at(-1)?.label}</span>
        </div>
      </div>
      <details>
        <summary>{text('console.asTable')}</summary>
        <table className="chart-table">
          <caption className="visually-hidden">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{labelTitle}</th>
              <th scope="col">{title}</th>
            </tr>
          </thead>
          <tbody>
            {bars.map(({ id, label, value }) => (
              <tr key={id}>
                <th scope="row">{label}</th>
                <td>{format(value)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  )
}
