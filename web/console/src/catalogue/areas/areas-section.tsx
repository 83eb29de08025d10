import { Banner, Button, Icon, ToggleButton, ToggleButtonGroup, useTexts } from '@platen/ui'
import { useState } from 'react'
import { Section } from '../../parts/page/section.tsx'
import { type DraftArea, newArea } from '../product/draft/draft.ts'
import { type DraftProps, useErrorAt } from '../product/draft/draft-props.ts'
import { AreaDrawing } from './area-drawing.tsx'
import { AreaFields } from './area-fields.tsx'
import { useChangeNotes } from './change-notes.ts'

const MOST_AREAS = 20

/** What areas with these ids are called until they get another name. */
const NAMES = { front: 'consoleCatalogue.areaFront', back: 'consoleCatalogue.areaBack' } as const

/** The areas that customers design, each as a drawing and as numbers. */
export function AreasSection({ state }: DraftProps) {
  const { text } = useTexts()
  const errorAt = useErrorAt(state)
  const { draft, set, product, faults } = state
  const areas = draft.printAreas
  const [chosen, setChosen] = useState(areas[0]?.key)
  const index = Math.max(
    0,
    areas.findIndex(({ key }) => key === chosen),
  )
  const area = areas[index]
  const notes = useChangeNotes(product?.printAreas, areas)
  const change = (changes: Partial<DraftArea>): void =>
    set(({ printAreas }) => ({
      printAreas: printAreas.map((one) => (one.key === area?.key ? { ...one, ...changes } : one)),
    }))
  const add = (): void => {
    const id = unusedId(areas)
    const next = newArea(id, id in NAMES ? text(NAMES[id as keyof typeof NAMES]) : '')
    set({ printAreas: [...areas, next] })
    setChosen(next.key)
  }
  const isFaulty = (at: number): boolean => faults.some(({ pointer = '' }) => pointer.startsWith(`/printAreas/${at}/`))
  return (
    <Section
      title={text('consoleCatalogue.areas')}
      action={
        <Button isDisabled={areas.length >= MOST_AREAS} onPress={add}>
          <Icon name="plus" size={18} />
          {text('consoleCatalogue.addArea')}
        </Button>
      }
    >
      {areas.length < 2 ? null : (
        <ToggleButtonGroup
          aria-label={text('consoleCatalogue.areas')}
          selectedKeys={[area?.key ?? '']}
          disallowEmptySelection
          onSelectionChange={(keys) => setChosen(String([...keys][0]))}
        >
          {areas.map((one, at) => (
            <ToggleButton key={one.key} id={one.key} data-at={`/printAreas/${at}`}>
              {isFaulty(at) ? <Icon name="warning" size={16} /> : null}
              {one.name || text('consoleCatalogue.unnamed')}
            </ToggleButton>
          ))}
        </ToggleButtonGroup>
      )}
      {area === undefined ? null : (
        <div className="area">
          <AreaDrawing key={area.key} area={area} onChange={(measure, mm) => change({ [measure]: mm })} />
          <AreaFields
            key={`${area.key} fields`}
            area={area}
            at={`/printAreas/${index}`}
            isSaved={product?.printAreas.some(({ id }) => id === area.id) === true}
            errorAt={(member) => errorAt(`/printAreas/${index}/${member}`)}
            onChange={change}
          />
        </div>
      )}
      {area === undefined || areas.length < 2 ? null : (
        <Button look="danger" onPress={() => set({ printAreas: areas.filter(({ key }) => key !== area.key) })}>
          {text('consoleCatalogue.removeArea')}
        </Button>
      )}
      {notes.length === 0 ? null : (
        <Banner tone="warning" isLive>
          {notes.map((note) => (
            <p key={note}>{note}</p>
          ))}
          <p>{text('consoleCatalogue.areaChangeHelp')}</p>
        </Banner>
      )}
    </Section>
  )
}

function unusedId(areas: readonly DraftArea[]): string {
  const taken = new Set(areas.map(({ id }) => id))
  return (
    ['front', 'back', ...Array.from({ length: MOST_AREAS }, (_, n) => `area-${n + 1}`)].find((id) => !taken.has(id)) ??
    ''
  )
}
