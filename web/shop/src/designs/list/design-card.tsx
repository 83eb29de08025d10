import type { ListedDesign } from '@platen/client'
import { Button, Icon, Menu, sideName, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Link } from 'wouter'
import { productQuery } from '../../catalogue/queries.ts'
import { Preview } from '../preview.tsx'
import { pageOf, STATUS_TEXTS } from '../status.ts'
import { RenameDialog } from './rename-dialog.tsx'
import { useDesignActions } from './use-design-actions.ts'

const PREVIEW_WIDTH = 480

export function DesignCard({ design }: { design: ListedDesign }) {
  const { text, formats } = useTexts()
  const { data: product } = useQuery(productQuery(design.productId))
  const area = product?.printAreas[0]
  return (
    <li className="card design">
      <div className="picture">
        {area === undefined ? null : (
          <Preview
            design={design}
            area={area}
            width={PREVIEW_WIDTH}
            label={text('shop.previewOf', { name: design.name, area: sideName(area, text) })}
          />
        )}
      </div>
      <div className="card-row">
        <div>
          <h2 className="card-name">
            <Link href={pageOf(design)}>{design.name}</Link>
          </h2>
          <p className="card-note">
            <span className={`status ${design.status}`}>{text(STATUS_TEXTS[design.status])}</span>
            <span>{text('shop.changedAgo', { when: formats.ago(design.updatedAt) })}</span>
          </p>
        </div>
        <CardMenu design={design} />
      </div>
    </li>
  )
}

function CardMenu({ design }: { design: ListedDesign }) {
  const { text } = useTexts()
  const [isRenaming, setRenaming] = useState(false)
  const { addToCart, duplicate, archive, open } = useDesignActions(design)
  return (
    <>
      <Menu
        aria-label={text('shop.actionsOf', { name: design.name })}
        trigger={
          <Button look="quiet" isIcon aria-label={text('shop.actionsOf', { name: design.name })}>
            <Icon name="more" />
          </Button>
        }
        actions={[
          { id: 'open', text: text('shop.open'), icon: 'edit', onAction: open },
          ...(design.status === 'draft'
            ? [{ id: 'rename', text: text('shop.rename'), icon: 'text', onAction: () => setRenaming(true) } as const]
            : []),
          ...(design.status === 'finalized'
            ? [{ id: 'order', text: text('shop.addToCart'), icon: 'cart', onAction: addToCart } as const]
            : []),
          { id: 'duplicate', text: text('shop.duplicate'), icon: 'copy', onAction: duplicate },
          null,
          { id: 'archive', text: text('shop.archive'), icon: 'trash', isDanger: true, onAction: archive },
        ]}
      />
      {isRenaming ? <RenameDialog design={design} onClose={() => setRenaming(false)} /> : null}
    </>
  )
}
