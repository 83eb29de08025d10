import { Icon } from '@platen/ui'
import { useEffect, useRef, useState } from 'react'

/** Between keystrokes and the search. */
const PAUSE_MS = 250

export interface SearchFieldProps {
  /** What is searched. */
  label: string
  /** By what it can be found. */
  hint: string
  value: string
  onChange(value: string): void
}

/** Searches while the operator types. */
export function SearchField({ label, hint, value, onChange }: SearchFieldProps) {
  const [typed, setTyped] = useState(value)
  const change = useRef(onChange)
  change.current = onChange
  const last = useRef(value)
  // Another link may have changed the search.
  if (value !== last.current) {
    last.current = value
    if (value !== typed.trim()) setTyped(value)
  }
  useEffect(() => {
    if (typed.trim() === last.current) return undefined
    const timer = setTimeout(() => change.current(typed.trim()), PAUSE_MS)
    return () => clearTimeout(timer)
  }, [typed])
  return (
    <search className="search">
      <Icon name="search" size={18} />
      <input
        type="search"
        className="pl-input"
        data-search
        aria-label={label}
        placeholder={hint}
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Enter') onChange(typed.trim())
        }}
      />
    </search>
  )
}
