import type { BulkResult } from '@platen/client'
import { Banner, Button, Dialog, type MessageKey, ProgressBar, TextField, useTexts } from '@platen/ui'
import { type FormEvent, Fragment, useState } from 'react'
import { RequiredNote } from '../../parts/form/required-note.tsx'
import { problemText } from '../../shell/problem-text.ts'
import { type BulkAction, keepsSelection, textOf } from './bulk-actions.ts'
import { failureText } from './failure-text.ts'
import { ShipFields } from './ship-fields.tsx'
import { type BulkFields, carrierOf, useBulkChange } from './use-bulk-change.ts'
import { useBulkNotice } from './use-bulk-notice.ts'
import type { Become, Changeable } from './use-selection.ts'

export interface BulkDialogProps {
  action: BulkAction
  orders: readonly Changeable[]
  onClose(): void
  /** Called when the dialog is closed after orders have a result. `left` are those that stay selected, by id. */
  onDone(left: ReadonlyMap<string, Become>): void
}

/** Asks for what an action on the selected orders needs, runs it, and shows the result of each order. */
export function BulkDialog({ action, orders: selected, onClose, onDone }: BulkDialogProps) {
  const texts = useTexts()
  const { text } = texts
  // The selection may change while the dialog is open.
  const [orders] = useState(selected)
  const [fields, setFields] = useState<BulkFields>({ carrier: '', reason: '', parcels: new Map() })
  const { change, results } = useBulkChange(action, orders)
  const addNotice = useBulkNotice()
  const isComplete = results.size === orders.length
  const title = text(textOf(action))
  const close = (): void => {
    // After a request that failed, the orders of the requests before it are done.
    if (results.size > 0) {
      onDone(leftOf(action, orders, results))
      addNotice(action, results.values())
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
        {results.size > 0 ? null : <Chosen action={action} orders={orders} />}
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
            <Button ref={takeFocus} look="primary" onPress={close}>
              {text('common.close')}
            </Button>
          ) : (
            <>
              <Button isDisabled={change.isPending} onPress={close}>
                {text(results.size > 0 ? 'common.close' : 'common.cancel')}
              </Button>
              <Button type="submit" look="primary" isPending={change.isPending} isDisabled={!isReady}>
                {title}
              </Button>
            </>
          )}
        </div>
      </form>
    </Dialog>
  )
}

/**
 * Takes the focus in the same commit in which the button that had it leaves. Later, the dialog would have given it to
 * its first button, and `autoFocus` would leave it there.
 */
const takeFocus = (button: HTMLButtonElement | null): void => button?.focus()

/** Whether all is entered that the action needs. */
function hasFields(action: BulkAction, orders: readonly Changeable[], fields: BulkFields): boolean {
  if (action === 'ship') return orders.every((order) => carrierOf(fields, order) !== '')
  return action !== 'hold' || fields.reason.trim() !== ''
}

/**
 * The orders that stay selected: those without a result, those that failed, for another action, and those that the same
 * person leads on at once. One that has changed since was selected as it no longer is.
 */
function leftOf(
  action: BulkAction,
  orders: readonly Changeable[],
  results: ReadonlyMap<string, BulkResult>,
): ReadonlyMap<string, Become> {
  const left = new Map<string, Become>(orders.filter(({ id }) => !results.has(id)).map(({ id }) => [id, {}]))
  for (const [id, { failure, orderStatus: status, revision, availableActions }] of results) {
    if (failure !== undefined) {
      if (failure.code !== 'precondition_failed') left.set(id, {})
    } else if (keepsSelection(action) && status && revision !== undefined && availableActions) {
      left.set(id, { status, revision, availableActions })
    }
  }
  return left
}

/** Numbers that a person compares with what lies on the table. */
const MOST_NUMBERS = 10

/** Which orders are about to change, and what this means for their customers. */
function Chosen({ action, orders }: Pick<BulkDialogProps, 'action' | 'orders'>) {
  const { text } = useTexts()
  const numbers = orders.slice(0, MOST_NUMBERS).map(({ number }) => number)
  const others = orders.length - numbers.length
  return (
    <>
      <p>{text('console.bulkSelected', { count: orders.length })}</p>
      {/* The table of parcels names all orders. */}
      {action === 'ship' ? null : (
        <p className="note">
          {numbers.map((number, index) => (
            <Fragment key={number}>
              {index === 0 ? '' : ', '}
              <span className="bulk-number">{number}</span>
            </Fragment>
          ))}
          {others === 0 ? '' : ` ${text('console.bulkMoreNumbers', { count: others })}`}
        </p>
      )}
      {action === 'start_production' ? <p className="note">{text('console.bulkStartHelp')}</p> : null}
    </>
  )
}

interface FieldsProps {
  action: BulkAction
  orders: readonly Changeable[]
  fields: BulkFields
  onChange(fields: BulkFields): void
}

function Fields({ action, orders, fields, onChange }: FieldsProps) {
  const { text } = useTexts()
  if (action === 'ship') return <ShipFields orders={orders} fields={fields} onChange={onChange} />
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

const OUTCOMES: readonly (readonly [BulkResult['outcome'], MessageKey])[] = [
  ['done', 'console.bulkDone'],
  ['unchanged', 'console.bulkUnchanged'],
  ['failed', 'console.bulkFailedCount'],
]

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
      <p role="status">
        {OUTCOMES.filter(([outcome]) => counts[outcome] > 0)
          .map(([outcome, key]) => text(key, { count: counts[outcome] }))
          .join(', ')}
      </p>
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
