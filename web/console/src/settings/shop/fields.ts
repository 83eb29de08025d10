import type { ShopSettings } from '@platen/client'
import type { EditedShop, ShopEdits } from './edits.ts'

export interface FieldsProps {
  saved: ShopSettings
  edits: ShopEdits
  shop: EditedShop
  edit(changes: ShopEdits): void
}
