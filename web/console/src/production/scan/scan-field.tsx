import { type ListedOrder, PlatenError } from '@platen/client'
import { Button, Icon, TextField, useTexts } from '@platen/ui'
import { useMutation, useQuery } from '@tanstack/react-query'
import { type FormEvent, useRef, useState } from 'react'
import { problemText } from '../../shell/problem-text.ts'
import { findByNumber, matchesQuery } from '../queries.ts'

export interface ScanFieldProps {
  onFound(order: ListedOrder): void
  /** What a scan does here. */
  hint?: string
}

/** Finds an order by the code on its pick list: a scanner types the number and presses Enter, as an operator can. */
export function ScanField({ onFound, hint }: ScanFieldProps) {
  const texts = useTexts()
  const { text } = texts
  const [typed, setTyped] = useState('')
  const form = useRef<HTMLFormElement>(null)
  const find = useMutation({
    mutationFn: findByNumber,
    onSuccess: (order) => {
      if (order === undefined) return
      setTyped('')
      onFound(order)
    },
    // The next scan replaces a number that was not found.
    onSettled: () => form.current?.querySelector('input')?.select(),
  })
  const error = errorOf(find)
  const submit = (event: FormEvent): void => {
    event.preventDefault()
    if (typed.trim() !== '') find.mutate(typed.trim())
  }

  function errorOf({ error, data, isSuccess, variables }: typeof find): string | undefined {
    if (error instanceof PlatenError && error.code === 'order_number_invalid') {
      return text('consoleProduction.numberInvalid', { number: variables ?? '' })
    }
    if (error !== null) return problemText(texts, error)
    return isSuccess && data === undefined
      ? text('consoleProduction.numberUnknown', { number: variables ?? '' })
      : undefined
  }

  return (
    <>
      <form ref={form} className="scan" onSubmit={submit}>
        <TextField
          label={text('consoleProduction.scan')}
          description={hint}
          error={error}
          isInvalid={error !== undefined}
          value={typed}
          onChange={(value) => {
            setTyped(value)
            find.reset()
          }}
          maxLength={20}
          autoComplete="off"
          spellCheck="false"
          autoFocus
        />
        <Button type="submit" isPending={find.isPending}>
          <Icon name="qr" size={20} />
          {text('consoleProduction.openOrder')}
        </Button>
      </form>
      {error === undefined ? null : (
        <Matches
          part={find.variables ?? ''}
          onChoose={(order) => {
            setTyped('')
            find.reset()
            onFound(order)
          }}
        />
      )}
    </>
  )
}

/** The orders that a part of a number may mean. */
function Matches({ part, onChoose }: { part: string; onChoose(order: ListedOrder): void }) {
  const { text } = useTexts()
  const { data: orders = [] } = useQuery(matchesQuery(part))
  if (orders.length === 0) return null
  return (
    <ul className="scan-matches" aria-label={text('consoleProduction.matches')}>
      {orders.map((order) => (
        <li key={order.id}>
          <Button look="quiet" onPress={() => onChoose(order)}>
            {order.number} · {order.shippingAddress.company ?? order.shippingAddress.name}
          </Button>
        </li>
      ))}
    </ul>
  )
}
