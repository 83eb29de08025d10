import type { ShipmentImport } from '@platen/client'
import { Banner, useTexts } from '@platen/ui'
import { failureText } from '../bulk/failure-text.ts'

/** What an import has done or would do, and why each faulty line is faulty. */
export function ImportReport({ report: { dryRun, counts, ignoredColumns, lines } }: { report: ShipmentImport }) {
  const texts = useTexts()
  const { text } = texts
  const faulty = lines.filter(({ outcome }) => outcome === 'faulty')
  return (
    <>
      <Banner tone={counts.faulty > 0 ? 'warning' : 'good'} isLive>
        {text(dryRun ? 'console.importChecked' : 'console.importShipped', counts)}
      </Banner>
      {ignoredColumns.length === 0 ? null : (
        <p className="note">{text('console.importIgnored', { columns: ignoredColumns.join(', ') })}</p>
      )}
      {faulty.length === 0 ? null : (
        <ul className="faults" aria-label={text('console.importFaults')}>
          {faulty.map(({ line, order, errors = [] }) => (
            <li key={line}>
              <strong>{text('console.importLine', { line })}</strong> {order}
              {errors.map(({ column = '', code, detail }) => (
                <span key={column + code} className="fault">
                  {column === '' ? '' : `${column}: `}
                  {failureText(texts, { code, detail })}
                </span>
              ))}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
