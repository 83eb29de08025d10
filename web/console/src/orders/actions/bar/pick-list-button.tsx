import { saveBlob } from '@platen/app/files'
import { notices } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { Order } from '@platen/client'
import { Button, Icon, useTexts } from '@platen/ui'
import { useMutation } from '@tanstack/react-query'
import { useShortcuts } from '../../../keys/shortcuts.ts'
import { orderProblemText } from '../order-problem-text.ts'

/** Downloads the pick list of an order that is paid. */
export function PickListButton({ order }: { order: Order }) {
  const texts = useTexts()
  const pickList = useMutation({
    mutationFn: async () => (await platen.production.getPickList(order.id)).blob(),
    onSuccess: (pdf) => saveBlob(`${order.number}-pick-list.pdf`, pdf),
    onError: (error) => notices.add({ text: orderProblemText(texts, error), tone: 'danger' }),
  })
  const isPaid = order.status !== 'awaiting_payment'
  useShortcuts(isPaid ? [{ keys: 'a l', title: 'console.pickList', run: () => pickList.mutate() }] : [])
  if (!isPaid) return null
  return (
    <Button isPending={pickList.isPending} onPress={() => pickList.mutate()}>
      <Icon name="download" size={18} />
      {texts.text('console.pickList')}
    </Button>
  )
}
