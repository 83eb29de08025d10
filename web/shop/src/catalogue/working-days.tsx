import type { ShippingMethod } from '@platen/client'
import { useTexts } from '@platen/ui'

/** The delivery time of a shipping method. */
export function WorkingDays({ method: { estimatedDays } }: { method: ShippingMethod }) {
  const { text, formats } = useTexts()
  const { min, max } = estimatedDays
  const days = min === max ? formats.number(max) : `${formats.number(min)}–${formats.number(max)}`
  return <span className="note">{text('shop.workingDays', { days, count: max })}</span>
}
