import { useTexts } from '@platen/ui'

export interface LineFault {
  code: string
  column?: string
  detail: string
}

export interface FaultyLine {
  line: number
  /** What the line is about, as the file names it. */
  subject: string
  errors: readonly LineFault[]
}

export interface FaultListProps {
  lines: readonly FaultyLine[]
  /** Says what is wrong in the words of the page. */
  faultText(fault: LineFault): string
}

/** The faulty lines of a file, with the column and the reason of each fault. */
export function FaultList({ lines, faultText }: FaultListProps) {
  const { text } = useTexts()
  if (lines.length === 0) return null
  return (
    <ul className="faults" aria-label={text('console.importFaults')}>
      {lines.map(({ line, subject, errors }) => (
        <li key={line}>
          <strong>{text('console.importLine', { line })}</strong> {subject}
          {errors.map(({ column = '', ...fault }) => (
            <span key={column + fault.code} className="fault">
              {column === '' ? '' : `${column}: `}
              {faultText(fault)}
            </span>
          ))}
        </li>
      ))}
    </ul>
  )
}
