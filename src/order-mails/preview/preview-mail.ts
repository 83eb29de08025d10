import type { Language } from '../../platform/languages.ts'
import { type ComposedMail, composeView } from '../content/compose-mail.ts'
import type { ContentDeps } from '../content/deps.ts'
import { addLogo } from '../content/pictures.ts'
import type { OrderMailKind } from '../kinds.ts'
import { EXAMPLE_CAUSES, exampleOrder } from './example-order.ts'

const DEADLINE_MS = 10_000

interface Wanted {
  kind: OrderMailKind
  language: Language
  /** Account whose processing time the logo takes. */
  ownerId: string
  now: Date
}

/** Creates the content of a mail about an example, as the service creates that of a real one. */
export async function previewMail(deps: ContentDeps, { kind, language, ownerId, now }: Wanted): Promise<ComposedMail> {
  const order = exampleOrder(kind, language, now)
  const cause = { kind, cause: EXAMPLE_CAUSES[kind] ?? 'order' }
  const view = composeView(deps, cause, order, { locale: language, languages: [language] })
  const pictures = await addLogo(deps, view, { id: order.id, ownerId }, AbortSignal.timeout(DEADLINE_MS))
  return { ...(await deps.render(view)), pictures }
}
