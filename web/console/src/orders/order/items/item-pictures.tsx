import { DrawnPicture } from '@platen/app/files'
import type { FinalizationFile, Order, OrderItem } from '@platen/client'
import { Button, Dialog, Icon, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useSeen } from '../../../parts/use-seen.ts'
import { itemFileQuery, itemPageQuery } from '../../queries.ts'

/** Widths of pictures of pages in pixels, for a screen with two device pixels each. */
const SMALL_PX = 240
const LARGE_PX = 1400

interface ItemPicturesProps {
  order: Order
  item: OrderItem
  /** Whether pages of the print file are beside the previews. */
  withPrintFile: boolean
}

/** The previews of all print areas of an item, each beside its page of the print file. */
export function ItemPictures({ order, item, withPrintFile }: ItemPicturesProps) {
  const { text } = useTexts()
  const [isOpen, setOpen] = useState(false)
  const files = item.files ?? []
  const previews = files.filter(({ kind }) => kind === 'preview')
  const print = withPrintFile ? files.find(({ kind }) => kind === 'print') : undefined
  if (previews.length === 0) {
    return (
      <div className="item-pictures">
        <NoPicture item={item} />
      </div>
    )
  }
  const pictures = { order, item, previews, print }
  return (
    <div className="item-pictures">
      <Pairs {...pictures} widthPx={SMALL_PX} />
      {print === undefined ? null : (
        <Button look="quiet" onPress={() => setOpen(true)}>
          <Icon name="zoom" size={18} />
          {text('console.comparePrintFile')}
        </Button>
      )}
      <Dialog
        title={text('console.comparison')}
        isOpen={isOpen}
        onClose={() => setOpen(false)}
        closeLabel={text('common.close')}
        size="large"
      >
        <div className="comparison">
          <p className="note">{text('console.comparisonHelp')}</p>
          <Pairs {...pictures} widthPx={LARGE_PX} />
        </div>
      </Dialog>
    </div>
  )
}

interface PairsProps {
  order: Order
  item: OrderItem
  /** In the order of the pages of the print file. */
  previews: readonly FinalizationFile[]
  print: FinalizationFile | undefined
  widthPx: number
}

function Pairs({ order, item, previews, print, widthPx }: PairsProps) {
  const { text } = useTexts()
  if (print === undefined) {
    return previews.map((file) => <Preview key={file.id} order={order} item={item} file={file} />)
  }
  return previews.map((file, index) => (
    <div key={file.id} className="item-pair">
      <figure>
        <Preview order={order} item={item} file={file} />
        <figcaption className="note">{text('console.preview')}</figcaption>
      </figure>
      <figure>
        <PrintPage order={order} item={item} file={print} page={index + 1} widthPx={widthPx} />
        <figcaption className="note">{text('console.printFile')}</figcaption>
      </figure>
    </div>
  ))
}

const PLACEHOLDER = { width: 240, height: 160 }

const nameOf = ({ design, product }: OrderItem): string => design.name ?? product.name ?? ''

interface PictureProps {
  order: Order
  item: OrderItem
  file: FinalizationFile
}

function Preview({ order, item, file }: PictureProps) {
  const { text } = useTexts()
  const { data, isError } = useQuery(itemFileQuery(order.id, item, file.id))
  const label = text('console.previewOf', { name: nameOf(item), area: file.printAreaId ?? '' })
  return (
    <div className="item-picture">
      <DrawnPicture picture={data} isError={isError} size={PLACEHOLDER} label={label} />
    </div>
  )
}

/** A page that the service draws from the print file, as soon as it is in view: a long order would ask for many. */
function PrintPage({ order, item, file, page, widthPx }: PictureProps & { page: number; widthPx: number }) {
  const { text } = useTexts()
  const box = useRef<HTMLDivElement>(null)
  const isSeen = useSeen(box)
  const { data, isError } = useQuery({ ...itemPageQuery(order.id, item, file, { page, widthPx }), enabled: isSeen })
  const label = text('console.printPageOf', { name: nameOf(item), page })
  return (
    <div className="item-picture" ref={box}>
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
