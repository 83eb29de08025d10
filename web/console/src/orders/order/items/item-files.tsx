import { saveBlob } from '@platen/app/files'
import { notices } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { FinalizationFile, Order, OrderItem } from '@platen/client'
import { Button, Icon, useTexts } from '@platen/ui'
import { useMutation } from '@tanstack/react-query'
import { problemText } from '../../../shell/problem-text.ts'
import { ReceiptCheck } from './receipt-check.tsx'

/** The files from which an item is made, and the receipt of its design. */
export function ItemFiles({ order, item }: { order: Order; item: OrderItem }) {
  const { text } = useTexts()
  const { personalization } = item
  if (personalization?.status === 'pending') return <p className="note">{text('console.filesPending')}</p>
  if (personalization?.status === 'failed') {
    return (
      <p className="item-failure">
        <Icon name="error" size={16} />
        {text('console.filesFailed')} {personalization.failure?.detail}
      </p>
    )
  }
  const prints = (item.files ?? []).filter(({ kind }) => kind === 'print')
  return (
    <ul className="files">
      {prints.map((file) => (
        <PrintFile key={file.id} order={order} item={item} file={file} />
      ))}
      {item.receipt === undefined ? null : <ReceiptCheck receipt={item.receipt} name={`${order.number}-${item.id}`} />}
    </ul>
  )
}

interface PrintFileProps {
  order: Order
  item: OrderItem
  file: FinalizationFile
}

function PrintFile({ order, item, file }: PrintFileProps) {
  const texts = useTexts()
  const { text, formats } = texts
  const print = useMutation({
    mutationFn: async () => (await platen.production.getOrderItemFile(order.id, item.id, file.id)).blob(),
    onSuccess: (pdf) => saveBlob(`${order.number}-${order.items.indexOf(item) + 1}.pdf`, pdf),
    onError: (error) => notices.add({ text: problemText(texts, error), tone: 'danger' }),
  })
  const facts = [
    file.widthMm === undefined || file.heightMm === undefined ? '' : formats.size(file.widthMm, file.heightMm),
    file.pages === undefined ? '' : text('console.pageCount', { count: file.pages }),
    formats.bytes(file.bytes),
  ]
  return (
    <li>
      <Button look="quiet" isPending={print.isPending} onPress={() => print.mutate()}>
        <Icon name="download" size={18} />
        {text('console.printFile')}
      </Button>
      <span className="note" title={`SHA-256 ${file.sha256}`}>
        {facts.filter(Boolean).join(' · ')}
      </span>
    </li>
  )
}
