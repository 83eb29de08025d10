import type { CartItem } from '@platen/app/session'
import { Banner, Button, type MessageKey, useTexts } from '@platen/ui'
import { Link } from 'wouter'
import { problemText } from '../shell/failures/problem-text.ts'
import type { Condition } from './condition.ts'
import type { Refusal } from './refusals.ts'
import { useRenewal } from './use-renewal.ts'

const TEXTS: Readonly<Partial<Record<Condition, MessageKey>>> = {
  expired: 'order.priceExpired',
  deleted: 'order.designDeleted',
  lost: 'order.designLost',
  unfinished: 'order.designUnfinished',
  failed: 'common.failedTitle',
}

/** What the service says about an item as a whole. Problems of its texts are at the texts. */
const REFUSALS: Readonly<Record<string, MessageKey>> = {
  currencies_mixed: 'order.otherCurrency',
  text_too_complex: 'order.textsTooLong',
  items_too_long: 'order.textsTooLong',
}

export interface LineProblemProps {
  item: CartItem
  condition: Condition
  refusal: Refusal | undefined
}

/** Says why an item cannot be ordered, and offers what helps. */
export function LineProblem({ item, condition, refusal }: LineProblemProps) {
  const texts = useTexts()
  const { text } = texts
  const renewal = useRenewal(item)
  const refused = refusal === undefined ? undefined : REFUSALS[refusal.code]
  const key = TEXTS[condition] ?? refused
  if (key === undefined) return null
  return (
    <>
      <Banner tone="warning" action={<Way item={item} condition={condition} renewal={renewal} />}>
        {text(key)}
      </Banner>
      {renewal.error === null ? null : (
        <Banner tone="danger" isLive>
          {problemText(texts, renewal.error)}
        </Banner>
      )}
    </>
  )
}

interface WayProps {
  item: CartItem
  condition: Condition
  renewal: ReturnType<typeof useRenewal>
}

function Way({ item, condition, renewal }: WayProps) {
  const { text } = useTexts()
  if (condition === 'unfinished') {
    return (
      <Link href={`/designs/${item.designId}`} className="pl-button">
        {text('shop.open')}
      </Link>
    )
  }
  if (condition !== 'expired' && condition !== 'deleted') return null
  return (
    <Button isPending={renewal.isPending} onPress={() => renewal.mutate(condition)}>
      {text(condition === 'expired' ? 'order.renewPrice' : 'order.orderCopy')}
    </Button>
  )
}
