import { DrawnPicture } from '@platen/app/files'
import type { FinalizationFile, Order, OrderItem } from '@platen/client'
import { useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { itemFileQuery } from '../queries.ts'

/** The previews of all print areas of an item. */
export function ItemPictures({ order, item }: { order: Order; item: OrderItem }) {
  const previews = (item.files ?? []).filter(({ kind }) => kind === 'preview')
  return (
    <div className="item-pictures">
      {previews.map((file) => (
        <Picture key={file.id} order={order} item={item} file={file} />
      ))}
      {previews.length === 0 ? <NoPicture item={item} /> : null}
    </div>
  )
}

const PLACEHOLDER = { width: 240, height: 160 }

interface PictureProps {
  order: Order
  item: OrderItem
  file: FinalizationFile
}

function Picture({ order, item, file }: PictureProps) {
  const { text } = useTexts()
  const { data, isError } = useQuery(itemFileQuery(order.id, item, file.id))
  const name = item.design.name ?? item.product.name ?? ''
  const label = text('console.previewOf', { name, area: file.printAreaId ?? '' })
  return (
    <div className="item-picture">
      <DrawnPicture picture={data} isError={isError} size={PLACEHOLDER} label={label} />
    </div>
  )
}

function NoPicture({ item }: { item: OrderItem }) {
  const { text } = useTexts()
  const isPending = item.files === undefined || item.personalization?.status === 'pending'
  return (
    <div className="item-picture">
      <DrawnPicture
        picture={undefined}
        isError={!isPending}
        size={PLACEHOLDER}
        label={text('console.noPreview', { name: item.design.name ?? '' })}
      />
    </div>
  )
}
