import { TextField, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { recentCarriersQuery } from '../../queries.ts'

export interface TrackingValues {
  carrier: string
  trackingNumber: string
  trackingUrl: string
}

export interface TrackingFieldsProps {
  value: TrackingValues
  onChange(to: TrackingValues): void
  /** The field in which the operator begins to type. */
  begins: keyof TrackingValues
}

/** Asks for the carrier, which suggests those of recent parcels, and for the tracking. */
export function TrackingFields({ value, onChange, begins }: TrackingFieldsProps) {
  const { text } = useTexts()
  const { data: carriers = [] } = useQuery(recentCarriersQuery())
  const field = (name: keyof TrackingValues) => ({
    value: value[name],
    onChange: (entered: string) => onChange({ ...value, [name]: entered }),
    autoFocus: name === begins,
  })
  return (
    <>
      <TextField
        label={text('console.carrier')}
        maxLength={100}
        isRequired
        suggestions={carriers.map(({ name }) => name)}
        {...field('carrier')}
      />
      <TextField
        label={text('console.trackingNumber')}
        description={text('console.optional')}
        maxLength={100}
        {...field('trackingNumber')}
      />
      <TextField
        label={text('console.trackingUrl')}
        description={text('console.optional')}
        type="url"
        maxLength={1000}
        {...field('trackingUrl')}
      />
    </>
  )
}
