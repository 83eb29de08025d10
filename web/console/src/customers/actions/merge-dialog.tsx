import { platen } from '@platen/app/session'
import type { Customer } from '@platen/client'
import { Button, useTexts } from '@platen/ui'
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { ORDERS } from '../../orders/queries.ts'
import { FormDialog } from '../../parts/form/form-dialog.tsx'
import { SearchField } from '../../parts/table/search-field.tsx'
import { useGuardedAction } from '../../parts/use-guarded-action.ts'
import { nameOf } from '../name-of.ts'
import { customerListQuery } from '../queries.ts'
import { customerProblemText } from './customer-problem-text.ts'
import type { CustomerDialogProps } from './dialog-props.ts'

const SHOWN = 8

/** Merges a customer into another one, after naming what moves. */
export function MergeDialog({ customer, onClose }: CustomerDialogProps) {
  const { text } = useTexts()
  const [, navigate] = useLocation()
  const [target, setTarget] = useState<Customer>()
  const name = nameOf(customer)
  const merge = useGuardedAction(
    ORDERS,
    async () => (target === undefined ? undefined : platen.customers.merge(customer.id, { into: target.id })),
    {
      done: text('consoleCustomers.merged', { name }),
      onDone: (into) => navigate(`/customers/${into?.id ?? ''}`, { replace: true }),
    },
  )
  const intoName = target === undefined ? '' : nameOf(target)
  return (
    <FormDialog
      title={text('consoleCustomers.mergeNamed', { name })}
      confirmLabel={text(target === undefined ? 'consoleCustomers.merge' : 'consoleCustomers.mergeInto', {
        name: intoName,
      })}
      isDanger
      isDisabled={target === undefined}
      action={merge}
      problemText={customerProblemText}
      onConfirm={() => merge.mutate()}
      onClose={onClose}
    >
      {target === undefined ? (
        <TargetChoice customer={customer} onChoose={setTarget} />
      ) : (
        <>
          <ul className="consequences">
            <li>{text('consoleCustomers.mergeMoves', { name, into: intoName })}</li>
            <li>{text('consoleCustomers.mergeEnds', { name })}</li>
          </ul>
          <p>
            <strong>{text('consoleCustomers.noUndo')}</strong>
          </p>
          <Button look="quiet" onPress={() => setTarget(undefined)}>
            {text('consoleCustomers.otherTarget')}
          </Button>
        </>
      )}
    </FormDialog>
  )
}

/** The customers that remain possible: without an account, and not the same one. */
function TargetChoice({ customer, onChoose }: { customer: Customer; onChoose(target: Customer): void }) {
  const { text } = useTexts()
  const [q, setQ] = useState('')
  const found = useQuery(customerListQuery({ limit: 100, ...(q === '' ? {} : { q }) }))
  const targets = found.data?.data.filter(({ id, hasAccount }) => !hasAccount && id !== customer.id) ?? []
  return (
    <>
      <p>{text('consoleCustomers.mergeHelp')}</p>
      <SearchField
        label={text('console.searchCustomers')}
        hint={text('console.searchCustomersHint')}
        value={q}
        onChange={setQ}
      />
      {found.isSuccess && targets.length === 0 ? <p className="note">{text('console.noCustomers')}</p> : null}
      <ul className="choices" aria-label={text('console.customers')}>
        {targets.slice(0, SHOWN).map((target) => (
          <li key={target.id}>
            <Button look="quiet" onPress={() => onChoose(target)}>
              {nameOf(target)}
            </Button>
          </li>
        ))}
      </ul>
    </>
  )
}
