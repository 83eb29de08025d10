import { type DesignDocument, listPlaceholders, type PlaceholderData, type PrintArea } from '@platen/drawing'
import { useEffect, useRef } from 'react'
import { shownArea } from '../../actions/index.ts'
import { shownAssets } from '../../document/shown-assets.ts'
import type { EditorState } from '../../state/editor-state.ts'
import { useEditorState } from '../../state/use-editor.ts'
import { useEngine, usePanels } from '../services/use-panels.ts'

const WIDTH_PX = 320

/** One item as it will be printed: the first side with placeholders. */
export function ItemPreview({ data }: { data: PlaceholderData }) {
  const { host } = usePanels()
  const engine = useEngine()
  const document = useEditorState((state) => state.document)
  const assets = useEditorState((state) => state.assets)
  const printArea = useEditorState(areaWithPlaceholders)
  const ref = useRef<HTMLCanvasElement>(null)
  useEffect(() => {
    const canvas = ref.current
    if (canvas === null || engine === undefined) return
    const pxPerMm = WIDTH_PX / printArea.widthMm
    const draw = (): void => {
      canvas.width = WIDTH_PX
      canvas.height = Math.max(1, Math.round(printArea.heightMm * pxPerMm))
      const context = canvas.getContext('2d')
      if (context === null) return
      const images = host.images.current()
      engine.drawPlacement(context, { document, printArea, images, pxPerMm, data, paper: '#ffffff', cut: true })
    }
    const ends: (() => void)[] = []
    // A list of many items draws those that are seen.
    const observer = new IntersectionObserver((entries) => {
      if (!entries.some(({ isIntersecting }) => isIntersecting)) return
      observer.disconnect()
      host.images.show(canvas, shownAssets(document, printArea.id, assets))
      draw()
      ends.push(engine.fonts.onChange(draw), host.images.onChange(draw), () => host.images.show(canvas, []))
    })
    observer.observe(canvas)
    return () => {
      observer.disconnect()
      for (const end of ends) end()
    }
  }, [engine, host, document, assets, printArea, data])
  return <canvas ref={ref} aria-hidden className="pe-csv-preview" />
}

function areaWithPlaceholders(state: EditorState): PrintArea {
  const placement = state.document.placements.find((one) => hasPlaceholders({ version: 1, placements: [one] }))
  return state.product.printAreas.find(({ id }) => id === placement?.printAreaId) ?? shownArea(state)
}

function hasPlaceholders(document: DesignDocument): boolean {
  return listPlaceholders(document).length > 0
}
