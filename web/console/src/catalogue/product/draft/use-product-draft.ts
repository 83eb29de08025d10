import type { ProblemDetail, Product } from '@platen/client'
import { PlatenError } from '@platen/client'
import { useEffect, useState } from 'react'
import { useLeaveWarning } from '../../../parts/form/unsaved-guard.tsx'
import { changesOf, type ProductDraft, rebase, toBody, toDraft } from './draft.ts'
import { leftOut } from './find-faults.ts'
import { followProposals } from './skus.ts'

/** What was changed and not saved when the administrator went to another page. Only this tab knows it. */
const kept = new Map<string, Edited>()

interface Edited {
  /** The saved version on which the draft is based. Undefined for a new product. */
  product: Product | undefined
  base: ProductDraft
  draft: ProductDraft
}

export interface DraftState extends Edited {
  /** Whether there is something to save. */
  isChanged: boolean
  faults: readonly ProblemDetail[]
  /**
   * The combinations of values that are not sold. Undefined for a new product, which has a variant for each one that is.
   */
  unwanted: ReadonlySet<string> | undefined
  setUnwanted(to: ReadonlySet<string>): void
  /** Shows the faults for which nothing was sent. */
  refuse(faults: readonly ProblemDetail[]): void
  /** The version that another administrator has saved in the meantime. */
  newer: Product | undefined
  /** Replaces members. A function gets the present draft, for changes that come later than the page was drawn. */
  set(changes: Partial<ProductDraft> | ((draft: ProductDraft) => Partial<ProductDraft>)): void
  /** Returns the fault of a place, as a JSON Pointer. */
  faultAt(pointer: string): ProblemDetail | undefined
  /** Takes over what the service has saved. */
  saved(product: Product): void
  /** Shows the faults that the service has found, or the version that it has. */
  failed(error: unknown): void
  discard(): void
  /** Continues on the newer version, with the own changes. */
  keepOwn(): void
}

/** @param key names the product, for the draft that is kept while other pages are shown */
export function useProductDraft(key: string, product: Product | undefined, begin: () => ProductDraft): DraftState {
  const [edited, setEdited] = useState<Edited>(() => {
    const base = kept.get(key)
    if (base !== undefined) return base
    const draft = begin()
    return { product, base: draft, draft }
  })
  const [faults, setFaults] = useState<readonly ProblemDetail[]>([])
  const [unwanted, setUnwanted] = useState(() => leftOut(edited.base))
  const [newer, setNewer] = useState<Product>()
  const isChanged = edited.draft !== edited.base && Object.keys(changesOf(edited.base, edited.draft)).length > 0
  const start = (from: Product): void => {
    const draft = toDraft(from)
    setEdited({ product: from, base: draft, draft })
    setFaults([])
    setUnwanted(leftOut(draft))
    setNewer(undefined)
  }
  // Another administrator has saved, or an action of this page has. Own changes stay; saving them finds the difference.
  if (product !== undefined && !isChanged && (edited.product?.revision ?? 0) < product.revision) start(product)
  useEffect(() => {
    if (isChanged) kept.set(key, edited)
    else kept.delete(key)
  }, [key, edited, isChanged])
  useLeaveWarning(isChanged)
  return {
    ...edited,
    isChanged,
    faults,
    unwanted: edited.product === undefined ? undefined : unwanted,
    setUnwanted: (to) => {
      setUnwanted(to)
      setFaults(faults.filter(({ code }) => code !== 'variants_missing'))
    },
    refuse: setFaults,
    newer,
    set: (changes) => {
      const changed = (draft: ProductDraft): ProductDraft => {
        const after = { ...draft, ...(typeof changes === 'function' ? changes(draft) : changes) }
        return { ...after, variants: followProposals(draft, after) }
      }
      setEdited((now) => ({ ...now, draft: changed(now.draft) }))
      if (faults.length === 0) return
      const after = changed(edited.draft)
      setFaults(faults.filter(({ pointer = '' }) => isSameAt(pointer, edited.draft, after)))
    },
    faultAt: (pointer) => faults.find((fault) => fault.pointer === pointer),
    saved: start,
    failed: (error) => {
      if (!(error instanceof PlatenError)) return
      setFaults(error.errors)
      if (error.code === 'precondition_failed') setNewer(error.product)
    },
    discard: () => {
      if (newer !== undefined) return start(newer)
      setEdited({ ...edited, draft: edited.base })
      setFaults([])
    },
    keepOwn: () => {
      if (newer === undefined) return
      const base = toDraft(newer)
      setEdited({ product: newer, base, draft: rebase(edited.base, edited.draft, base) })
      setNewer(undefined)
    },
  }
}

/** A fault is out of date once the value that it names has changed. */
function isSameAt(pointer: string, before: ProductDraft, after: ProductDraft): boolean {
  return JSON.stringify(valueAt(toBody(before), pointer)) === JSON.stringify(valueAt(toBody(after), pointer))
}

function valueAt(body: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .map((part) => part.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<unknown>((value, part) => (value as Record<string, unknown> | undefined)?.[part], body)
}
