import { type ReactNode, useId } from 'react'
import type { EditorMessage } from '../../../messages.ts'
import { useEditor } from '../../../state/use-editor.ts'

export interface SectionProps {
  title: EditorMessage
  /** Why the controls are disabled. */
  reason?: EditorMessage | undefined
  children: ReactNode
}

export function Section({ title, reason, children }: SectionProps) {
  const { text } = useEditor()
  const id = useId()
  return (
    <section className="pe-section" aria-labelledby={id}>
      <h3 id={id}>{text(title)}</h3>
      {reason === undefined ? null : <p className="pe-reason">{text(reason)}</p>}
      <div className="pe-fields">{children}</div>
    </section>
  )
}
