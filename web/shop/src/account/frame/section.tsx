import { type ReactNode, useId } from 'react'

export interface SectionProps {
  title: string
  /** What the section is for. */
  help?: ReactNode
  /** Beside the heading. */
  action?: ReactNode
  children?: ReactNode
}

/** A part of a page of the account. */
export function Section({ title, help, action, children }: SectionProps) {
  const id = useId()
  return (
    <section className="section" aria-labelledby={id}>
      <div className="section-head">
        <h2 id={id}>{title}</h2>
        {action}
      </div>
      {help === undefined ? null : <p className="section-help">{help}</p>}
      {children}
    </section>
  )
}
