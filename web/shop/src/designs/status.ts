import type { ListedDesign } from '@platen/client'
import type { MessageKey } from '@platen/ui'

export const STATUS_TEXTS: Readonly<Record<ListedDesign['status'], MessageKey>> = {
  draft: 'shop.statusDraft',
  finalizing: 'shop.statusFinalizing',
  finalized: 'shop.statusFinalized',
  archived: 'shop.statusArchived',
}

/** Returns the page of a design: the editor for drafts, and the result for finished ones. */
export const pageOf = ({ id, status }: Pick<ListedDesign, 'id' | 'status'>): string =>
  status === 'finalized' ? `/designs/${id}/finished` : `/designs/${id}`
