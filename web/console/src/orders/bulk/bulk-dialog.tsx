import type { BulkResult } from '@platen/client'
import { Banner, Button, Dialog, ProgressBar, TextField, useTexts } from '@platen/ui'
import { type FormEvent, useState } from 'react'
import { RequiredNote } from '../../parts/required-note.tsx'
import { problemText } from '../../shell/problem-text.ts'
import { type BulkAction, textOf } from './bulk-actions.ts'
import { failureText } from './failure-text.ts'
import { ParcelTable } from './parcel-table.tsx'
import { type BulkFields, carrierOf, useBulkChange } from './use-bulk-change.ts'
import { useBulkUndo } from './use-bulk-undo.ts'
import type { Changeable } from './use-selection.ts'

export interface BulkDialogProps {
  action: BulkAction
  orders: readonly Changeable[]
  onClose(): void
  /** Called when the dialog is closed after all orders have a result. `left` are the ids of those to select again. */
  onDone(left: ReadonlySet<string>): void
}

/** Asks for what an action on the selected orders needs, runs it, and shows the result of each order. */
export function BulkDialog({ action, orders: selected, onClose, onDone }: BulkDialogProps) {
  const texts = useTexts()
  const { text } = texts
  // The selection may change while the dialog is open.
  const [orders] = useState(selected)
  const [fields, setFields] = useState<BulkFields>({ carrier: '', reason: '', parcels: new Map() })
  const { change, results } = useBulkChange(action, orders)
  const offerUndo = useBulkUndo()
  const isComplete = results.size === orders.length
  const title = text(textOf(action))
  const close = (): void => {
    if (isComplete) {
      onDone(leftOf(results))
      offerUndo(action, results.values())
    }
    onClose()
  }
  const isReady = hasFields(action, orders, fields)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (isReady && !change.isPending) change.mutate(fields)
  }
  return (
    <Dialog
      title={title}
      isOpen
      staysOpen
      onClose={change.isPending ? undefined : close}
      closeLabel={text('common.close')}
      size={action === 'ship' ? 'large' : 'normal'}
    >
      <form className="form action-form" onSubmit={submit}>
        <p>{text('console.bulkSelected', { count: orders.length })}</p>
        {results.size > 0 ? null : <Fields action={action} orders={orders} fields={fields} onChange={setFields} />}
        {results.size > 0 || change.isPending ? (
          <ProgressBar label={text('console.bulkProgress')} value={(100 * results.size) / orders.length} />
        ) : null}
        {results.size > 0 ? null : <RequiredNote />}
        <Results orders={orders} results={results} />
        {change.error === null ? null : (
          <Banner tone="danger" isLive>
            {problemText(texts, change.error)}
          </Banner>
        )}
        <div className="dialog-buttons">
          {isComplete ? (
            <Button look="primary" onPress={close}>
              {text('common.close')}
            </Button>
          ) : (
            <Button type="submit" look="primary" isPending={change.isPending} isDisabled={!isReady}>
              {title}
            </Button>
          )}
        </div>
      </form>
    </Dialog>
  )
}

/** Whether all is entered that the action needs. */
function hasFields(action: BulkAction, orders: readonly Changeable[], fields: BulkFields): boolean {
  if (action === 'ship') return orders.every((order) => carrierOf(fields, order) !== '')
  return action !== 'hold' || fields.reason.trim() !== ''
}

/** The orders that failed, for another action. One that has changed was selected as it no longer is. */
function leftOf(results: ReadonlyMap<string, BulkResult>): ReadonlySet<string> {
  const failed = [...results].filter(
    ([, { failure }]) => failure !== undefined && failure.code !== 'precondition_failed',
  )
  return new Set(failed.map(([id]) => id))
}

interface FieldsProps {
  action: BulkAction
  orders: readonly Changeable[]
  fields: BulkFields
  onChange(fields: BulkFields): void
}

function Fields({ action, orders, fields, onChange }: FieldsProps) {
  const { text } = useTexts()
  if (action === 'ship') {
    return (
      <>
        <TextField
          label={text('console.carrier')}
          description={text('console.bulkShipHelp')}
          maxLength={100}
          autoFocus
          // Not if each order names its own.
          isRequired={orders.some(({ id }) => (fields.parcels.get(id)?.carrier ?? '').trim() === '')}
          value={fields.carrier}
          onChange={(carrier) => onChange({ ...fields, carrier })}
        />
        <ParcelTable
          orders={orders}
          carrier={fields.carrier}
          parcels={fields.parcels}
          onChange={(id, parcel) => onChange({ ...fields, parcels: new Map(fields.parcels).set(id, parcel) })}
        />
      </>
    )
  }
  if (action !== 'hold') return null
  return (
    <TextField
      label={text('console.reason')}
      description={text('console.holdReasonHelp')}
      rows={3}
      maxLength={1000}
      isRequired
      autoFocus
      value={fields.reason}
      onChange={(reason) => onChange({ ...fields, reason })}
    />
  )
}

/** How many orders have changed, and why the others have not. */
function Results({ orders, results }: { orders: readonly Changeable[]; results: ReadonlyMap<string, BulkResult> }) {
  const texts = useTexts()
  const { text } = texts
  if (results.size === 0) return null
  const counts = { done: 0, unchanged: 0, failed: 0 }
  for (const { outcome } of results.values()) counts[outcome] += 1
  const failed = orders.flatMap(({ id, number }) => {
    const failure = results.get(id)?.failure
    return failure === undefined ? [] : [{ id, number, reason: failureText(texts, failure) }]
  })
  return (
    <>
      <p role="status">{text('console.bulkCounts', counts)}</p>
      {failed.length === 0 ? null : (
        <ul className="faults" aria-label={text('console.bulkFailed')}>
          {failed.map(({ id, number, reason }) => (
            <li key={id}>
              <strong>{number}</strong> {reason}
            </li>
          ))}
        </ul>
      )}
    </>
  )
}
