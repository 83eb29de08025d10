import type { Language } from '../../platform/languages.ts'
import { type ComposedMail, composeView } from '../content/compose-mail.ts'
import type { ContentDeps } from '../content/deps.ts'
import { addLogo } from '../content/pictures.ts'
import type { EditedText } from '../edited-texts/edited-text.ts'
import { findEditedTexts } from '../edited-texts/store.ts'
import type { OrderMailKind } from '../kinds.ts'
import { EXAMPLE_CAUSES, exampleOrder } from './example-order.ts'

const DEADLINE_MS = 10_000

export interface Wanted {
  kind: OrderMailKind
  language: Language
  /** A text that is not saved yet. Default: the saved one, or that of the service. */
  text?: EditedText | undefined
  /** Account whose processing time the logo takes. */
  ownerId: string
  now: Date
}

/** Creates the content of a mail about an example, as the service creates that of a real one. */
export async function previewMail(
  deps: ContentDeps,
  { kind, language, text, ownerId, now }: Wanted,
): Promise<ComposedMail> {
  const order = exampleOrder(kind, language, now)
  const cause = { kind, cause: EXAMPLE_CAUSES[kind] ?? 'order' }
  const edited = text === undefined ? await findEditedTexts(deps.db, kind) : new Map([[language, text]])
  const view = composeView(deps, cause, order, { locale: language, languages: [language], edited })
  const pictures = await addLogo(deps, view, { id: order.id, ownerId }, AbortSignal.timeout(DEADLINE_MS))
  return { ...(await deps.render(view)), pictures }
}
