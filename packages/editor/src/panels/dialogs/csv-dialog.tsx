import { listPlaceholders } from '@platen/drawing'
import { Banner, Button, Dialog, Icon } from '@platen/ui'
import { type ChangeEvent, useMemo, useRef, useState } from 'react'
import { useEditor, useEditorState } from '../../state/use-editor.ts'
import { type CsvItem, type CsvItems, decodeCsv, readItems } from '../placeholders/read-csv.ts'
import { usePanels } from '../services/use-panels.ts'
import { ItemPreview } from './item-preview.tsx'

/** How many items a quote or an order can have. */
const MOST_ITEMS = 100

/** Fills the placeholders of many items from a file, and shows each. */
export function CsvDialog({ onClose }: { onClose(): void }) {
  const { text, announce } = useEditor()
  const { host } = usePanels()
  const [read, setRead] = useState<CsvItems>()
  const complete = (read?.items ?? []).filter(({ missing }) => missing.length === 0)
  const finish = (): void => {
    host.takeItems(complete.map(({ data }) => data))
    announce(text('csvTaken', { count: complete.length }))
    onClose()
  }
  const footer = (
    <Button look="primary" isDisabled={complete.length === 0 || complete.length > MOST_ITEMS} onPress={finish}>
      {text('csvTake', { count: complete.length })}
    </Button>
  )
  return (
    <Dialog
      title={text('fillFromCsv')}
      isOpen
      onClose={onClose}
      closeLabel={text('closePanel')}
      size="large"
      staysOpen={read !== undefined}
      {...(host.takesItems() ? { footer } : {})}
    >
      <div className="pe-csv">
        <FilePicker onRead={setRead} />
        {read === undefined ? null : <Notes read={read} complete={complete.length} />}
        <ul className="pe-csv-items" aria-label={text('csvItems')}>
          {(read?.items ?? []).slice(0, MOST_ITEMS).map((item) => (
            <Item key={item.row} item={item} onClose={onClose} />
          ))}
        </ul>
      </div>
    </Dialog>
  )
}

function FilePicker({ onRead }: { onRead(read: CsvItems): void }) {
  const { text } = useEditor()
  const document = useEditorState((state) => state.document)
  const names = useMemo(() => listPlaceholders(document), [document])
  const inputRef = useRef<HTMLInputElement>(null)
  const [isUnreadable, setIsUnreadable] = useState(false)
  const pick = async ({ target }: ChangeEvent<HTMLInputElement>): Promise<void> => {
    const [file] = target.files ?? []
    if (file === undefined) return
    try {
      onRead(readItems(decodeCsv(await file.arrayBuffer()), names))
      setIsUnreadable(false)
    } catch {
      setIsUnreadable(true)
    } finally {
      target.value = ''
    }
  }
  return (
    <div className="pe-csv">
      <p>{text('csvHint', { columns: names.join(', ') })}</p>
      <input
        ref={inputRef}
        type="file"
        hidden
        accept=".csv,text/csv,.txt"
        aria-label={text('csvChoose')}
        onChange={(event) => void pick(event)}
      />
      <Button onPress={() => inputRef.current?.click()}>
        <Icon name="upload" />
        {text('csvChoose')}
      </Button>
      {isUnreadable ? (
        <Banner tone="danger" isLive>
          {text('csvUnreadable')}
        </Banner>
      ) : null}
    </div>
  )
}

/** What the customer must know about the file. */
function Notes({ read, complete }: { read: CsvItems; complete: number }) {
  const { text } = useEditor()
  const { items, missingColumns, unusedColumns } = read
  const incomplete = items.length - complete
  return (
    <>
      {items.length === 0 ? <Banner tone="warning">{text('csvEmpty')}</Banner> : null}
      {missingColumns.length === 0 ? null : (
        <Banner tone="warning">{text('csvMissingColumns', { columns: missingColumns.join(', ') })}</Banner>
      )}
      {unusedColumns.length === 0 ? null : (
        <Banner>{text('csvUnusedColumns', { columns: unusedColumns.join(', ') })}</Banner>
      )}
      {incomplete === 0 ? null : <Banner tone="warning">{text('csvIncomplete', { count: incomplete })}</Banner>}
      {complete <= MOST_ITEMS ? null : <Banner tone="danger">{text('csvTooMany', { limit: MOST_ITEMS })}</Banner>}
    </>
  )
}

function Item({ item, onClose }: { item: CsvItem; onClose(): void }) {
  const { store, text, announce } = useEditor()
  const { row, data, missing } = item
  const show = (): void => {
    store.set({ data })
    announce(text('csvShown', { row }))
    onClose()
  }
  return (
    <li className="pe-csv-item">
      <ItemPreview data={data} />
      <p>{text('csvRow', { row })}</p>
      {missing.length === 0 ? (
        <p className="pe-hint" dir="auto">
          {Object.values(data).join(' · ')}
        </p>
      ) : (
        <p className="pe-problem">{text('csvMissing', { fields: missing.join(', ') })}</p>
      )}
      <Button aria-label={text('csvShow', { row })} onPress={show}>
        {text('show')}
      </Button>
    </li>
  )
}
