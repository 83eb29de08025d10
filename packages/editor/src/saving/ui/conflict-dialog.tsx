import { Button, Dialog } from '@platen/ui'
import { useState } from 'react'
import { Label } from 'react-aria-components/Label'
import { Radio, RadioGroup } from 'react-aria-components/RadioGroup'
import { layerName } from '../../actions/index.ts'
import type { EditorMessage } from '../../messages.ts'
import { useEditor } from '../../state/use-editor.ts'
import type { ConflictChoice, MergeConflict } from '../merge/merge-types.ts'
import { describeConflict, describeField } from './field-texts.ts'
import { useSaving } from './use-saving.ts'

const CHOICES: readonly [ConflictChoice, EditorMessage][] = [
  ['mine', 'conflictMine'],
  ['theirs', 'conflictTheirs'],
  ['both', 'conflictBoth'],
]

export interface ConflictDialogProps {
  conflicts: readonly MergeConflict[]
  /** Keeps all own changes. */
  onClose(): void
}

/** Asks which changes stay where two editors have changed the same. */
export function ConflictDialog({ conflicts, onClose }: ConflictDialogProps) {
  const { text } = useEditor()
  const { saver } = useSaving()
  const [choices, setChoices] = useState<ReadonlyMap<string, ConflictChoice>>(new Map())
  return (
    <Dialog
      title={text('conflictTitle')}
      isOpen
      staysOpen
      onClose={onClose}
      closeLabel={text('conflictKeepAll')}
      size="large"
      footer={
        <Button look="primary" onPress={() => saver.decide(choices)}>
          {text('conflictApply')}
        </Button>
      }
    >
      <p>{text('conflictIntro')}</p>
      {conflicts.map((conflict) => (
        <ConflictChoices
          key={conflict.id}
          conflict={conflict}
          choice={choices.get(conflict.id) ?? 'mine'}
          onChange={(choice) => setChoices(new Map([...choices, [conflict.id, choice]]))}
        />
      ))}
    </Dialog>
  )
}

interface ConflictChoicesProps {
  conflict: MergeConflict
  choice: ConflictChoice
  onChange(choice: ConflictChoice): void
}

function ConflictChoices({ conflict, choice, onChange }: ConflictChoicesProps) {
  const { text, locale } = useEditor()
  const isLayer = conflict.kind === 'layer'
  const texts = isLayer ? describeConflict(conflict, text, locale) : describeField(conflict, text)
  const lines = { mine: texts.mine, theirs: texts.theirs, both: [] }
  const title = isLayer ? layerName(conflict.mine, text) : texts.names.join()
  return (
    <RadioGroup className="pe-conflict" value={choice} onChange={(value) => onChange(value as ConflictChoice)}>
      <Label>{title}</Label>
      {CHOICES.filter(([value]) => isLayer || value !== 'both').map(([value, message]) => (
        <Radio key={value} value={value} className="pe-conflict-choice">
          <span className="pe-conflict-mark" aria-hidden="true" />
          <span>
            <strong>{text(message)}</strong>
            {lines[value].map((line) => (
              <span key={line} className="pe-conflict-line">
                {line}
              </span>
            ))}
          </span>
        </Radio>
      ))}
    </RadioGroup>
  )
}
