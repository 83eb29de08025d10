import { Pill, type Tone } from '../../parts/pill.tsx'

/** The status of a response. Failures of the service stand out from those of clients. */
export function RequestStatus({ status }: { status: number }) {
  return <Pill tone={toneOf(status)}>{status}</Pill>
}

function toneOf(status: number): Tone {
  if (status >= 500) return 'danger'
  return status >= 400 ? 'warning' : 'good'
}
