import type { Order } from '@platen/client'

/** What the dialog of an action is given. */
export interface DialogProps {
  order: Order
  onClose(): void
}

/** Leaves out a text without content, which the service would refuse. */
export const optional = <Name extends string>(name: Name, value: string): Partial<Record<Name, string>> =>
  value.trim() === '' ? {} : ({ [name]: value.trim() } as Record<Name, string>)
