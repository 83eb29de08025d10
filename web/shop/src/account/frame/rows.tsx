import { Icon, type IconName } from '@platen/ui'
import type { ReactNode } from 'react'

/** A list of things that the account has, such as passkeys. */
export function Rows({ label, children }: { label: string; children: ReactNode }) {
  return (
    <ul className="rows" aria-label={label}>
      {children}
    </ul>
  )
}

export interface RowProps {
  icon: IconName
  title: ReactNode
  /** What there is to know about it, one line each. */
  notes: readonly ReactNode[]
  action?: ReactNode
}

export function Row({ icon, title, notes, action }: RowProps) {
  return (
    <li className="row-item">
      <Icon name={icon} size={22} />
      <div className="row-texts">
        <p className="row-title">{title}</p>
        {notes.map((note, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the lines have no identity
          <p key={index} className="row-note">
            {note}
          </p>
        ))}
      </div>
      {action}
    </li>
  )
}
