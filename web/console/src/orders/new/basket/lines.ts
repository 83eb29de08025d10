import type { Order } from '@platen/client'
import { inUnits } from '../../../parts/form/money.ts'

/** What is entered for a design of the customer. */
export interface Line {
  /** Tells the lines apart: an order can have several of one design, with different texts. */
  key: string
  designId: string
  /** Undefined or 0: the line is not ordered. */
  quantity: number | undefined
  data: Readonly<Record<string, string>>
  /** Price of one piece in units of the currency. Undefined: the list price applies. */
  price: number | undefined
  reason: string
}

export const emptyLine = (designId: string): Line => ({
  ...{ key: designId, designId, quantity: undefined },
  ...{ data: {}, price: undefined, reason: '' },
})

/** Returns the lines that order the same again, with the agreed prices if the operator may agree on prices. */
export const linesOf = ({ items }: Order, mayAgreePrices: boolean): readonly Line[] =>
  items.map(({ id, designId, quantity, data = {}, unitPrice, agreedPrice }) => ({
    ...{ key: id, designId, quantity, data },
    ...(agreedPrice === undefined || !mayAgreePrices
      ? { price: undefined, reason: '' }
      : { price: inUnits(unitPrice), reason: agreedPrice.reason }),
  }))

/** Returns the lines of all designs, in the order of the designs. A design without a line gets an empty one. */
export function linesOfAll(designs: readonly { id: string }[], lines: readonly Line[]): readonly Line[] {
  return designs.flatMap(({ id }) => {
    const own = lines.filter(({ designId }) => designId === id)
    return own.length === 0 ? [emptyLine(id)] : own
  })
}

/** Replaces a line, or adds the first one of a design. */
export const withLine = (lines: readonly Line[], line: Line): readonly Line[] =>
  lines.some(({ key }) => key === line.key) ? lines.map((one) => (one.key === line.key ? line : one)) : [...lines, line]
