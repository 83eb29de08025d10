import { Icon, type IconName } from '@platen/ui'
import { useEffect, useState } from 'react'
import type { EditorMessage } from '../../messages.ts'
import type { SaveState } from '../../state/editor-state.ts'
import { useEditor, useEditorState } from '../../state/use-editor.ts'

type Kind = SaveState['kind']

const LOOKS: Readonly<Record<Kind, { icon: IconName; message: EditorMessage }>> = {
  saved: { icon: 'check', message: 'saveStateSaved' },
  unsaved: { icon: 'edit', message: 'saveStateUnsaved' },
  saving: { icon: 'upload', message: 'saveStateSaving' },
  offline: { icon: 'offline', message: 'saveStateOffline' },
  refused: { icon: 'warning', message: 'saveStateRefused' },
  signed_out: { icon: 'user', message: 'saveStateSignedOut' },
}

const PROBLEMS: readonly Kind[] = ['offline', 'refused', 'signed_out']

/** Says whether everything is saved, in the toolbar. */
export function SaveStatus() {
  const { text } = useEditor()
  const kind = useEditorState(({ save }) => save.kind)
  const { icon, message } = LOOKS[kind]
  return (
    <span className={`pe-save-status ${kind}`}>
      <Icon name={icon} size={18} />
      <span className="pe-save-status-text">{text(message)}</span>
      <span role="status" className="pe-hidden-text">
        {useAnnounced(kind)}
      </span>
    </span>
  )
}

/** Screen readers hear of a problem and of its end. Each save of a customer who draws would be too much. */
function useAnnounced(kind: Kind): string {
  const { text } = useEditor()
  const [hadProblem, setHadProblem] = useState(false)
  const isProblem = PROBLEMS.includes(kind)
  useEffect(() => {
    if (isProblem) setHadProblem(true)
    else if (kind === 'unsaved') setHadProblem(false)
  }, [isProblem, kind])
  return isProblem || (hadProblem && kind === 'saved') ? text(LOOKS[kind].message) : ''
}
