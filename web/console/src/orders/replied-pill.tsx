import type { ListedOrder } from '@platen/client'
import { useTexts } from '@platen/ui'
import { Pill } from '../parts/pill.tsx'

/** Marks an order on hold whose customer has replied, so that the shop decides now. */
export function RepliedPill({ hold }: { hold: ListedOrder['hold'] | undefined }) {
  const { text } = useTexts()
  return hold?.answeredAt === undefined ? null : <Pill tone="good">{text('console.customerReplied')}</Pill>
}
