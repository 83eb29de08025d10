import { useEffect, useRef, useState } from 'react'
import { shownArea } from '../../../actions/index.ts'
import type { EditorLayer } from '../../../document/layers.ts'
import { useEditor, useEditorState } from '../../../state/use-editor.ts'
import { useEngine, usePanels } from '../../services/use-panels.ts'
import { judgeLegibility, type Legibility, layersBelow } from './legibility.ts'

type Text = EditorLayer & { color: string }

/** A pause in changes after which the colours are judged, because drawing what lies below takes time. */
const PAUSE_MS = 200
/** Several texts are judged by the first of them. */
const MOST_TEXTS = 8

/** Returns how well texts can be read on what lies below them; the worst of several. */
export function useLegibility(layers: readonly Text[]): Legibility {
  const { store } = useEditor()
  const { host } = usePanels()
  const engine = useEngine()
  const document = useEditorState((state) => state.document)
  const [legibility, setLegibility] = useState<Legibility>('good')
  const judged = useRef<readonly unknown[]>([])
  useEffect(() => {
    const texts = layers.slice(0, MOST_TEXTS)
    const inputs = [engine, ...texts.flatMap((text) => inputsOf(text, document))]
    const isJudged = inputs.length === judged.current.length && inputs.every((input, i) => input === judged.current[i])
    if (engine === undefined || isJudged) return
    let timer: ReturnType<typeof setTimeout>
    const judge = (): void => {
      const input = { engine, document, printArea: shownArea(store.get()), images: host.images.current() }
      const results = texts.map((text) => judgeLegibility(text, input))
      setLegibility(worstOf(results))
      // A picture that is still loading is there soon.
      if (results.includes('unknown')) timer = setTimeout(judge, PAUSE_MS)
      else judged.current = inputs
    }
    timer = setTimeout(judge, PAUSE_MS)
    return () => clearTimeout(timer)
  }, [layers, document, engine, host, store])
  return legibility
}

/** Typing changes none of these, so it causes no drawing. */
function inputsOf(text: Text, document: Parameters<typeof layersBelow>[1]): unknown[] {
  const { id, x, y, width, height, rotation, color, opacity } = text
  return [id, x, y, width, height, rotation, color, opacity, ...layersBelow(text, document)]
}

const WORST_FIRST: readonly Legibility[] = ['low_on_layers', 'low_on_paper', 'unknown', 'good']

function worstOf(results: readonly Legibility[]): Legibility {
  return WORST_FIRST.find((one) => results.includes(one)) ?? 'good'
}
