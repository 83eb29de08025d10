import type { FontBook } from '../../drawing/index.ts'
import { designProblems } from '../problems.ts'
import { type FontDeps, findOpenBook, keyOfFonts, type OwnFont, openFonts } from './design-fonts.ts'

/** Fonts that are open already, for work under locks: the storage is never asked there. */
export interface OpenFonts {
  /**
   * The book of these fonts before the installed ones; see `openFonts`.
   *
   * @throws `FontsNotOpen`, for `withOpenFonts` to open them and to begin again
   */
  bookOf(own: readonly OwnFont[]): FontBook
}

class FontsNotOpen extends Error {
  override readonly name = 'FontsNotOpen'
  readonly own: readonly OwnFont[]

  constructor(own: readonly OwnFont[]) {
    super('These fonts have to be opened before the transaction')
    this.own = own
  }
}

/** Each time but the first, the owner added or deleted a font in the few milliseconds since the last. */
const ATTEMPTS = 5

/**
 * Runs a transaction that checks designs. Which fonts it needs it knows only once it holds its rows, and reading them from
 * the storage may take long: where one is not open, the transaction is given up, the font opened, and all begun again.
 *
 * @param work one transaction, without effects outside of it
 * @throws `storage_unavailable`; `renderer_busy` when the fonts are others each time
 */
export async function withOpenFonts<Result>(
  deps: FontDeps,
  work: (open: OpenFonts) => Promise<Result>,
): Promise<Result> {
  // Kept here too, as they may be too large for the cache, or soon forgotten there.
  const opened = new Map<string, FontBook>()
  const bookOf = (own: readonly OwnFont[]): FontBook => {
    const book = opened.get(keyOfFonts(own)) ?? findOpenBook(deps, own)
    if (book === undefined) throw new FontsNotOpen(own)
    return book
  }
  for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
    try {
      return await work({ bookOf })
    } catch (error) {
      if (!(error instanceof FontsNotOpen)) throw error
      opened.set(keyOfFonts(error.own), (await openFonts(deps, error.own)).book)
    }
  }
  throw designProblems.renderer_busy({ detail: 'Your fonts are being changed.', headers: { 'Retry-After': '2' } })
}
