import { Button, Icon, Popover, useTexts } from '@platen/ui'

export interface Refused {
  name: string
  title: string
  reason: string
}

/** The actions that are not possible now, each with the reason. */
export function NotPossible({ refused }: { refused: readonly Refused[] }) {
  const { text } = useTexts()
  if (refused.length === 0) return null
  return (
    <Popover
      aria-label={text('console.notPossible')}
      placement="bottom end"
      trigger={
        <Button look="quiet" isIcon aria-label={text('console.notPossible')}>
          <Icon name="info" size={20} />
        </Button>
      }
    >
      <div className="refused">
        <h2>{text('console.notPossible')}</h2>
        <dl>
          {refused.map(({ name, title, reason }) => (
            <div key={name}>
              <dt>{title}</dt>
              <dd>{reason}</dd>
            </div>
          ))}
        </dl>
      </div>
    </Popover>
  )
}
