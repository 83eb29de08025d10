import type { TextLayer } from '@platen/drawing'
import { ComboBox } from '@platen/ui'
import { useMemo, useSyncExternalStore } from 'react'
import type { EditorLayer } from '../../../document/layers.ts'
import type { EditorMessage } from '../../../messages.ts'
import type { PanelEngine } from '../../../state/host.ts'
import { useEditor } from '../../../state/use-editor.ts'
import { useEngine } from '../../services/use-panels.ts'
import { SelectProperty } from '../fields/choice-property.tsx'
import { type LayerEdit, sharedValue } from '../selection.ts'
import { FontSample } from './font-sample.tsx'
import { FontUpload } from './font-upload.tsx'

type Text = EditorLayer & TextLayer
type Family = PanelEngine['fonts']['families'][number]

const NO_FAMILIES: readonly Family[] = []
const none = () => () => undefined

function useFamilies(engine: PanelEngine | undefined): readonly Family[] {
  return useSyncExternalStore(engine?.fonts.onChange ?? none, () => engine?.fonts.families ?? NO_FAMILIES)
}

/** Family and weight of texts. A text in a family that is not installed keeps it until the customer chooses another. */
export function FontFields({ layers, edit }: { layers: readonly Text[]; edit: LayerEdit<Text> }) {
  const { text } = useEditor()
  const families = useFamilies(useEngine())
  const family = sharedValue(layers, ({ fontFamily }) => fontFamily)
  const choices = useMemo(() => {
    const known = families.map((one) => ({
      id: one.family,
      text: one.family,
      content: <FontSample family={one.family} />,
    }))
    const isKnown = family === undefined || families.some((one) => one.family === family)
    return isKnown ? known : [{ id: family, text: family, content: family }, ...known]
  }, [families, family])
  const setFamily = (fontFamily: string): void => {
    edit.end()
    edit.change('family', (layer) => ({ ...layer, fontFamily }))
  }
  const weights = weightsOf(families, family, layers)
  return (
    <>
      <div className="pe-wide">
        <ComboBox
          // The list is empty until the engine is loaded.
          key={`${families.length} ${family}`}
          label={text('fontFamily')}
          openLabel={text('showFonts')}
          choices={choices}
          value={family ?? null}
          onChange={setFamily}
          isDisabled={edit.isDisabled}
          menuTrigger="focus"
        />
      </div>
      <FontUpload isDisabled={edit.isDisabled} onFamily={setFamily} />
      <SelectProperty
        label="fontWeight"
        layers={layers}
        edit={edit}
        choices={weights.map((weight) => ({
          id: String(weight),
          text: text(WEIGHTS[nearestHundred(weight)] ?? 'weight400'),
        }))}
        get={({ fontWeight }) => String(fontWeight)}
        set={(layer, weight) => ({ ...layer, fontWeight: Number(weight) })}
      />
    </>
  )
}

const WEIGHTS: Readonly<Record<number, EditorMessage>> = {
  100: 'weight100',
  200: 'weight200',
  300: 'weight300',
  400: 'weight400',
  500: 'weight500',
  600: 'weight600',
  700: 'weight700',
  800: 'weight800',
  900: 'weight900',
}

function nearestHundred(weight: number): number {
  return Math.max(100, Math.min(900, Math.round(weight / 100) * 100))
}

/** The weights that a family has, and those that the texts state. */
function weightsOf(families: readonly Family[], family: string | undefined, layers: readonly Text[]): number[] {
  const styles = families.find((one) => one.family === family)?.styles ?? []
  const given = layers.map(({ fontWeight }) => fontWeight)
  const all = styles.length === 0 ? [400, 700, ...given] : [...styles.map(({ weight }) => weight), ...given]
  return [...new Set(all)].sort((a, b) => a - b)
}
