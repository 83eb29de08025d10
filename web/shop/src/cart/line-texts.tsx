import type { CartItem } from '@platen/app/session'
import type { Design } from '@platen/client'
import { Button, Icon, type MessageKey, TextField, useTexts } from '@platen/ui'
import { clearRefusal, type Refusal } from './refusals.ts'
import { useCart } from './use-cart.ts'
import { useFullNotice } from './use-full-notices.ts'

/** What is wrong with a text, by the code of the service. Problems of the layout have other codes. */
const ERRORS: Readonly<Record<string, MessageKey>> = {
  placeholder_missing: 'order.textMissing',
  text_overflow: 'order.textTooLong',
  glyphs_missing: 'order.textHasUnknownSigns',
}

export interface LineTextsProps {
  item: CartItem
  design: Design
  refusal: Refusal | undefined
}

/** The texts of an item for the placeholders of its design. Copies with other texts are further items. */
export function LineTexts({ item, design, refusal }: LineTextsProps) {
  const { text } = useTexts()
  const cart = useCart()
  const tellFull = useFullNotice()
  const names = design.finalization?.placeholders ?? []
  if (names.length === 0) return null
  const change = (name: string, value: string): void => {
    clearRefusal(item.id)
    cart.change(item.id, { data: { ...item.data, [name]: value } })
  }
  const addOther = (): void => {
    if (!cart.insertAfter(item.id, { designId: design.id, quantity: 1 })) tellFull()
  }
  const errorOf = (name: string): string | undefined =>
    refusal?.placeholder === name ? text(ERRORS[refusal.code] ?? 'order.textRefused') : undefined
  return (
    <fieldset className="line-texts">
      <legend>{text('order.textsOfItem')}</legend>
      {names.map((name) => (
        <TextField
          key={name}
          label={name}
          value={item.data?.[name] ?? ''}
          onChange={(value) => change(name, value)}
          maxLength={10_000}
          isRequired
          error={errorOf(name)}
        />
      ))}
      <Button look="quiet" onPress={addOther}>
        <Icon name="plus" size={20} />
        {text('order.otherTexts')}
      </Button>
    </fieldset>
  )
}
