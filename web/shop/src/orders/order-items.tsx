import { DrawnPicture, download, saveBlob } from '@platen/app/files'
import { notices } from '@platen/app/frame'
import { platen } from '@platen/app/session'
import type { Order, OrderItem } from '@platen/client'
import { Button, Icon, type MessageKey, useTexts } from '@platen/ui'
import { useMutation, useQuery } from '@tanstack/react-query'
import { problemText } from '../shell/failures/problem-text.ts'
import { itemPreviewQuery } from './queries.ts'

/** What was ordered, with pictures and files. */
export function OrderItems({ order }: { order: Order }) {
  const { text } = useTexts()
  return (
    <section className="card-section">
      <h2>{text('order.items')}</h2>
      <ul className="order-items">
        {order.items.map((item) => (
          <Item key={item.id} order={order} item={item} />
        ))}
      </ul>
    </section>
  )
}

function Item({ order, item }: { order: Order; item: OrderItem }) {
  const { text, formats } = useTexts()
  const name = item.design.name ?? text('order.someDesign')
  const product = [item.product.name, ...Object.values(item.variant.options ?? {})].filter(Boolean).join(' · ')
  return (
    <li>
      <div className="line-picture">
        <ItemPicture orderId={order.id} item={item} name={name} />
      </div>
      <div className="line-facts">
        <h3 className="line-name">{name}</h3>
        <p className="note">{product}</p>
        <p>{text('order.timesPrice', { count: item.quantity, price: formats.money(item.unitPrice) })}</p>
        {item.data === undefined ? null : (
          <dl className="item-texts">
            {Object.entries(item.data).map(([placeholder, value]) => (
              <div key={placeholder}>
                <dt>{placeholder}</dt>
                <dd>{value}</dd>
              </div>
            ))}
          </dl>
        )}
        <ItemFiles orderId={order.id} item={item} name={name} />
      </div>
      <p className="line-total">{formats.money(item.total)}</p>
    </li>
  )
}

const PICTURE = { width: 320, height: 220 }

export function ItemPicture({ orderId, item, name }: { orderId: string; item: OrderItem; name: string }) {
  const { text } = useTexts()
  const { data, isError } = useQuery(itemPreviewQuery(orderId, item))
  const hasNone = item.previewUrl === null || item.personalization?.status === 'failed'
  return (
    <DrawnPicture
      picture={data}
      isError={isError || hasNone}
      size={PICTURE}
      label={text('order.pictureOf', { name })}
    />
  )
}

const FILES_TEXTS: Readonly<Record<string, MessageKey>> = {
  pending: 'order.filesPending',
  failed: 'order.filesFailed',
}

/** The files of an item: the print file, and the signed receipt of its design. */
function ItemFiles({ orderId, item, name }: { orderId: string; item: OrderItem; name: string }) {
  const texts = useTexts()
  const { text } = texts
  const status = item.personalization?.status
  const onError = (error: unknown): void => {
    notices.add({ text: problemText(texts, error), tone: 'danger' })
  }
  const print = useMutation({
    mutationFn: () => platen.orders.createLink(orderId, { itemId: item.id, file: 'print' }),
    onSuccess: ({ url }) => download(url, `${name}.pdf`),
    onError,
  })
  const receipt = useMutation({
    mutationFn: async () => new Blob([await platen.designs.getReceipt(item.designId)], { type: 'application/jose' }),
    onSuccess: (blob) => saveBlob(`${name}.jws`, blob),
    onError,
  })
  const note = status === undefined ? undefined : FILES_TEXTS[status]
  return (
    <>
      {note === undefined ? (
        <div className="row">
          <Button look="quiet" isPending={print.isPending} onPress={() => print.mutate()}>
            <Icon name="download" size={20} />
            {text('shop.printFile')}
          </Button>
          <Button look="quiet" isPending={receipt.isPending} onPress={() => receipt.mutate()}>
            <Icon name="download" size={20} />
            {text('order.signedReceipt')}
          </Button>
        </div>
      ) : (
        <p className="note">{text(note)}</p>
      )}
    </>
  )
}
