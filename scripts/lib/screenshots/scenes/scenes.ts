import type { Scene } from '../scene.ts'
import { ACCOUNT_SCENES } from './account-scenes.ts'
import { CONSOLE_DIALOG_SCENES } from './console-dialog-scenes.ts'
import { CONSOLE_SCENES } from './console-scenes.ts'
import { EDITOR_SCENES } from './editor-scenes.ts'
import { ORDER_SCENES } from './order-scenes.ts'
import { SHOP_SCENES } from './shop-scenes.ts'

/** All pages and states of the shop and the console. */
export const SCENES: readonly Scene[] = [
  ...SHOP_SCENES,
  ...EDITOR_SCENES,
  ...ORDER_SCENES,
  ...ACCOUNT_SCENES,
  ...CONSOLE_SCENES,
  ...CONSOLE_DIALOG_SCENES,
]
