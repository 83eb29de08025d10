import type { Action } from '../action.ts'
import { ARRANGING_ACTIONS } from './arranging-actions.ts'
import { EDITING_ACTIONS } from './editing-actions.ts'
import { LAYER_ACTIONS } from './layer-actions.ts'
import { INSERTING_ACTIONS, VIEWING_ACTIONS } from './view-actions.ts'

const TABLE = [
  ...EDITING_ACTIONS,
  ...INSERTING_ACTIONS,
  ...ARRANGING_ACTIONS,
  ...LAYER_ACTIONS,
  ...VIEWING_ACTIONS,
] as const

export type ActionId = (typeof TABLE)[number]['id']

/** All commands of the editor, in the order of the list of shortcuts. */
export const ACTIONS: readonly Action<ActionId>[] = TABLE

const BY_ID = new Map(ACTIONS.map((action) => [action.id, action]))

export function actionOf(id: ActionId): Action<ActionId> {
  const action = BY_ID.get(id)
  if (action === undefined) throw new Error(`There is no action ${id}`)
  return action
}
