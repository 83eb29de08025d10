import type { PreflightReport } from '@platen/drawing'
import type { Engine } from '../engine/index.ts'
import type { EditorStore } from '../state/editor-store.ts'

/** A pause in typing after which the design is checked. */
const PAUSE_MS = 120

/**
 * Keeps the preflight report of the present document in the state.
 *
 * @param onReport called with each new report
 */
export function followReport(
  store: EditorStore,
  engine: Engine,
  onReport: (report: PreflightReport) => void,
): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined
  let checked: readonly unknown[] = []

  const check = (): void => {
    timer = undefined
    const { document, product, design, assets, data, report: before } = store.get()
    const variant = product.variants.find(({ id }) => id === design.variantId)
    const report = engine.checkDesign({
      document,
      product: {
        status: product.status,
        printAreas: product.printAreas,
        ...(variant === undefined ? {} : { variantAvailable: variant.available }),
      },
      assets,
      ...(Object.keys(data).length === 0 ? {} : { data }),
    })
    if (report === undefined) {
      // Failures are among `fonts.problems`, and the change of the fonts leads here again.
      engine.fonts.ready(document).catch(() => undefined)
      return
    }
    checked = inputs()
    if (JSON.stringify(report) === JSON.stringify(before)) return
    store.set({ report })
    onReport(report)
  }
  const inputs = (): readonly unknown[] => {
    const { document, product, design, assets, data } = store.get()
    return [document, product, design.variantId, assets, data]
  }
  const schedule = (): void => {
    if (inputs().every((input, i) => input === checked[i])) return
    timer ??= setTimeout(check, PAUSE_MS)
  }
  const ends = [
    store.subscribe(schedule),
    engine.fonts.onChange(() => {
      checked = []
      schedule()
    }),
  ]
  schedule()
  return () => {
    clearTimeout(timer)
    for (const end of ends) end()
  }
}
