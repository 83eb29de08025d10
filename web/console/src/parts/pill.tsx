import type { ReactNode } from 'react'

export type Tone = 'neutral' | 'info' | 'good' | 'warning' | 'danger'

/** A state in one or two words. */
export function Pill({ tone = 'neutral', children }: { tone?: Tone; children: ReactNode }) {
  return <span className={`pill ${tone}`}>{children}</span>
}
