import type { MessageKey } from './messages.ts'
import type { Translator } from './translator.ts'

/** Sides that products often have, by the id of the print area. */
const SIDES: Readonly<Record<string, MessageKey>> = {
  front: 'common.sideFront',
  back: 'common.sideBack',
  left: 'common.sideLeft',
  right: 'common.sideRight',
  inside: 'common.sideInside',
  outside: 'common.sideOutside',
  cover: 'common.sideCover',
  wrap: 'common.sideWrap',
}

/**
 * Returns the name of a print area in the customer's language. Products have names in one language only, so a side that
 * is named as its id, such as "Front", gets the word of the language. Every other name stays as the shop has chosen it.
 */
export function sideName(area: { id: string; name: string }, text: Translator<MessageKey>['text']): string {
  const key = Object.hasOwn(SIDES, area.id) ? SIDES[area.id] : undefined
  return key !== undefined && area.name.trim().toLowerCase() === area.id ? text(key) : area.name
}
