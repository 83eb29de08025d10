import type { Customer } from '@platen/client'

export interface CustomerDialogProps {
  customer: Customer
  onClose(): void
}
