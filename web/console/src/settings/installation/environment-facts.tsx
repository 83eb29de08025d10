import { type MessageKey, useTexts } from '@platen/ui'
import type { ReactNode } from 'react'

export interface EnvironmentFactsProps {
  /** The name, the environment setting if one sets it, and the value. */
  facts: readonly (readonly [name: MessageKey, setting: string | undefined, value: ReactNode | readonly string[]])[]
}

/** Values with the environment settings that set them. */
export function EnvironmentFacts({ facts }: EnvironmentFactsProps) {
  const { text } = useTexts()
  return (
    <dl className="environment-facts">
      {facts.map(([name, setting, value]) => (
        <div key={name}>
          <dt>
            {text(name)}
            {setting === undefined ? null : <code className="note">{setting}</code>}
          </dt>
          {Array.isArray(value) ? <Values values={value as readonly string[]} /> : <dd>{value as ReactNode}</dd>}
        </div>
      ))}
    </dl>
  )
}

function Values({ values }: { values: readonly string[] }) {
  const { text } = useTexts()
  if (values.length === 0) return <dd>{text('consoleSettings.none')}</dd>
  return values.map((value) => <dd key={value}>{value}</dd>)
}
